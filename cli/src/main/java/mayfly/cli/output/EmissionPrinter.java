package mayfly.cli.output;

import java.nio.charset.StandardCharsets;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.EmissionStream;
import mayfly.attach.client.ProfilerGroup;

/** Prints a profiler's emissions on standard output, one line for each. */
public final class EmissionPrinter {
    private EmissionPrinter() {}

    /**
     * Prints emissions until the profiler or its process has ended, or standard output is closed. Returns true in the
     * first case.
     *
     * @throws AttachFailed if the connection fails
     */
    public static boolean print(EmissionStream following, Terminal terminal) throws AttachFailed {
        return following.run((bytes, dropped) -> print("", bytes, dropped, terminal));
    }

    /**
     * Prints the emissions of several profilers, each line with the id of its JVM.
     *
     * @throws AttachFailed if a connection fails
     */
    public static boolean print(ProfilerGroup following, Terminal terminal) throws AttachFailed {
        return following.run((runtime, bytes, dropped) -> print(runtime + ": ", bytes, dropped, terminal));
    }

    /** Begins each line with the prefix, so that no line can seem to be from another profiler. */
    private static byte[] prefixed(String prefix, byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8).stripTrailing();
        return (prefix + text.replaceAll("\\R", "\n" + prefix)).getBytes(StandardCharsets.UTF_8);
    }

    private static boolean print(String prefix, byte[] bytes, long dropped, Terminal terminal) {
        if (dropped > 0) {
            terminal.err()
                    .println("mayfly: " + prefix + Text.count(dropped)
                            + (dropped == 1 ? " emission was" : " emissions were")
                            + " dropped here: the host's buffer was full");
        }
        terminal.printUntrusted(prefix.isEmpty() ? bytes : prefixed(prefix, bytes));
        return !terminal.out().checkError(); // standard output may be closed
    }
}
