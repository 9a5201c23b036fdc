package mayfly.targets;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/** The line protocol between a target and the process that started it. */
final class LineProtocol {
    private LineProtocol() {}

    /** Prints that the target is ready, answers lines until the line {@code exit}, and ends this JVM. */
    static void untilExit(String words, UnaryOperator<String> answer) {
        untilExit(System.in, System.out, words, answer);
    }

    /** As {@link #untilExit(String, UnaryOperator)}, for a target that has replaced the standard streams. */
    static void untilExit(InputStream from, PrintStream to, String words, UnaryOperator<String> answer) {
        to.println("READY " + words);
        to.flush();
        try {
            BufferedReader in = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null && !line.equals("exit"); line = in.readLine()) {
                to.println(answer.apply(line));
                to.flush();
            }
        } catch (IOException e) {
            System.err.println("standard input: " + e);
        }
        System.exit(0);
    }

    /** Starts a daemon thread, so that a target never outlives the protocol. */
    static Thread start(String name, Runnable body) {
        Thread thread = new Thread(null, body, name, 0);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** The targets are compiled for a JDK without virtual threads. */
    static Thread startVirtual(Runnable body) throws ReflectiveOperationException {
        return (Thread)
                Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
    }
}
