package mayfly.cli.output;

import java.io.PrintStream;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.EmissionStream;

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
        PrintStream out = terminal.out();
        return following.run((bytes, dropped) -> {
            if (dropped > 0) {
                terminal.err()
                        .println("mayfly: " + Text.count(dropped)
                                + (dropped == 1 ? " emission was" : " emissions were")
                                + " dropped here: the host's buffer was full");
            }
            terminal.printUntrusted(bytes);
            return !out.checkError(); // standard output may be closed
        });
    }
}
