package mayfly.cli;

import java.io.PrintStream;
import mayfly.attach.AttachFailed;
import mayfly.attach.Following;

/** What a profiler emits, on standard output: each emission as a line. */
final class Emissions {
    private Emissions() {
    }

    /** Prints until the profiler is detached, its process ends, or nobody reads. */
    static void print(Following following, Terminal terminal) throws AttachFailed {
        PrintStream out = terminal.out();
        following.run((bytes, dropped) -> {
            if (dropped > 0) {
                terminal.err().println("mayfly: " + Text.count(dropped) + " emissions were dropped here: there was no room");
            }
            out.writeBytes(bytes);
            if (bytes.length == 0 || bytes[bytes.length - 1] != '\n') {
                out.println();
            }
            return !out.checkError();   // whoever reads may have gone
        });
    }
}
