package mayfly.cli;

import java.io.PrintStream;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Following;

/** What a profiler emits, on standard output: each emission as a line. */
final class Emissions {
    private Emissions() {
    }

    /** Prints until the profiler or its process has gone, which is true, or nobody reads. */
    static boolean print(Following following, Terminal terminal) throws AttachFailed {
        PrintStream out = terminal.out();
        return following.run((bytes, dropped) -> {
            if (dropped > 0) {
                terminal.err().println("mayfly: " + Text.count(dropped) + " emissions were dropped here: there was no room");
            }
            terminal.printUntrusted(bytes);
            return !out.checkError();   // whoever reads may have gone
        });
    }
}
