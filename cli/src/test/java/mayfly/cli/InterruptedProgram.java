package mayfly.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;

/** Runs a command that waits at its first look at the environment, until standard input ends. */
final class InterruptedProgram {
    private InterruptedProgram() {
    }

    private static final class Waiting extends AbstractMap<String, String> {
        @Override
        public String get(Object name) {
            System.out.println("READY");
            try {
                System.in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            throw new IllegalStateException("not interrupted");
        }

        @Override
        public Set<Map.Entry<String, String>> entrySet() {
            return Set.of();
        }
    }

    /** @param args the command line of Mayfly; {@code over} before it if a recording has been written already */
    public static void main(String[] args) {
        if (args[0].equals("over")) {
            EarlyInterrupt.over();
            args = java.util.Arrays.copyOfRange(args, 1, args.length);
        }
        System.exit(Main.start(args, new Terminal(System.out, System.out, false, false, false, new Waiting())));
    }
}
