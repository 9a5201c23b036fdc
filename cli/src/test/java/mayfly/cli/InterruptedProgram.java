package mayfly.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import mayfly.cli.output.EarlyInterrupt;
import mayfly.cli.output.Terminal;

/** Runs a command that blocks at its first access to the environment until standard input ends. */
public final class InterruptedProgram {
    private InterruptedProgram() {}

    private static final class Waiting extends AbstractMap<String, String> {
        @Override
        public String get(Object name) {
            throw blocked();
        }

        @Override
        public Set<Map.Entry<String, String>> entrySet() {
            throw blocked();
        }

        private static RuntimeException blocked() {
            System.out.println("READY");
            try {
                System.in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return new IllegalStateException("not interrupted");
        }
    }

    /** Begins to record while the shutdown hook prints its message. */
    private static void begin() throws Exception {
        Thread main = Thread.currentThread();
        CountDownLatch printing = new CountDownLatch(1);
        AtomicBoolean calls = new AtomicBoolean();
        AtomicBoolean returned = new AtomicBoolean();
        PrintStream slow = new PrintStream(System.out, true, StandardCharsets.UTF_8) {
            @Override
            public void println(String line) {
                super.println(line);
                printing.countDown();
                while (!returned.get() && !(calls.get() && main.getState() == Thread.State.WAITING)) {
                    Thread.onSpinWait();
                }
            }
        };
        EarlyInterrupt.watch(new String[] {"record"}, new Terminal(System.out, slow, false, false, false, Map.of()));
        new ProcessBuilder("kill", "-INT", Long.toString(ProcessHandle.current().pid())).start();
        printing.await();
        calls.set(true);
        EarlyInterrupt.over();
        System.out.println("recording");
        returned.set(true);
        new CountDownLatch(1).await(); // until the JVM has ended
    }

    /**
     * @param args the command line of Mayfly, preceded by {@code over} if a recording has been written before; or only
     *     {@code beginning}, for a signal that arrives while a recording begins
     */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("beginning")) {
            begin();
        }
        if (args[0].equals("over")) {
            EarlyInterrupt.over();
            args = java.util.Arrays.copyOfRange(args, 1, args.length);
        }
        System.exit(Main.start(args, new Terminal(System.out, System.out, false, false, false, new Waiting())));
    }
}
