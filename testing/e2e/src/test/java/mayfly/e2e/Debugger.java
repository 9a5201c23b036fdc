package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;

/** A jdb session with a target that listens for debuggers. */
final class Debugger implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Process process;
    private final BufferedReader out;
    private final Writer in;

    private Debugger(Process process) {
        this.process = process;
        this.out = process.inputReader();
        this.in = process.outputWriter();
    }

    /** Returns a port that was free a moment ago. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Returns the JVM option that accepts debuggers on a port without printing a message. */
    static String option(int port) {
        return "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:" + port;
    }

    /** Returns when jdb has requested the target's threads and received the answer. */
    static Debugger attach(int port) throws IOException {
        awaitListener(port);
        Debugger debugger =
                new Debugger(new ProcessBuilder(Jdk.current().tool("jdb").toString(), "-attach", "127.0.0.1:" + port)
                        .redirectErrorStream(true)
                        .start());
        debugger.say("threads");
        debugger.await("main");
        return debugger;
    }

    /**
     * Waits until the JVM listens. Reads the kernel's table, see proc_net_tcp(5), because the JVM would accept a
     * connection of the test as a debugger.
     */
    private static void awaitListener(int port) throws IOException {
        String listening = String.format(Locale.ROOT, ":%04X 00000000:0000 0A ", port);
        Deadline deadline = Deadline.in(LIMIT);
        while (!Files.readString(Path.of("/proc/net/tcp")).contains(listening)) {
            deadline.check("no process listens at %d", port);
        }
    }

    private void say(String command) throws IOException {
        in.write(command + "\n");
        in.flush();
    }

    private void await(String words) throws IOException {
        StringBuilder said = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            said.append(line).append('\n');
            if (line.contains(words)) {
                return;
            }
        }
        throw new AssertionError("jdb ended without '" + words + "':\n" + said);
    }

    /** Suspends every thread, including the JVM's own threads that a debugger sees. */
    void suspend() throws IOException {
        say("suspend");
        await("All threads suspended.");
    }

    void resume() throws IOException {
        say("resume");
        await("All threads resumed.");
    }

    /** Makes the target examine each throw of a loaded class of exceptions, and stop if nothing catches it. */
    void stopIfUncaught(String type) throws IOException {
        say("catch uncaught " + type);
        await("Set uncaught " + type);
    }

    /** Makes the target stop at each throw of a class of exceptions that is caught. The class must be loaded. */
    void stopIfCaught(String type) throws IOException {
        say("catch caught " + type);
        await("Set caught " + type);
    }

    /** Waits until the target has stopped at a throw, and continues it without further stops. */
    void passStop(String type) throws IOException {
        await("Exception occurred: " + type);
        say("ignore caught " + type);
        await("Removed: caught " + type);
        resume();
    }

    /** Leaves the target, which continues. */
    void quit() throws Exception {
        say("quit");
        while (out.readLine() != null) {
            // The last output of jdb is not needed.
        }
        assertThat(process.waitFor()).isZero();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
