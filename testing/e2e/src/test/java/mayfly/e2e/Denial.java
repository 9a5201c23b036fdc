package mayfly.e2e;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import mayfly.kit.Command;

/** System calls that fail as in a container, see src/test/c/deny.c. */
final class Denial {
    private Denial() {}

    /**
     * Returns a command prefix under which calls fail, such as {@code bpf=EPERM}; skips the test if that is impossible.
     */
    static List<String> of(String... calls) throws IOException {
        Path program = CSource.build("deny");
        List<String> line = new ArrayList<>(List.of(program.toString()));
        line.addAll(List.of(calls));
        line.add("--");
        assumeTrue(
                Command.run(Duration.ofSeconds(60), with(line, "true").toArray(String[]::new))
                                .exitCode()
                        == 0,
                "no seccomp filter can be set here");
        return List.copyOf(line);
    }

    /** Skips the test if the command prefix does not work. */
    static void assumeWorks(List<String> prefix) {
        Command tried = Command.run(Duration.ofSeconds(60), with(prefix, "true").toArray(String[]::new));
        assumeTrue(tried.exitCode() == 0, String.join(" ", prefix) + " does not work here: " + tried.stderr());
    }

    /** Joins the two parts of a command line. */
    static List<String> with(List<String> first, String... more) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(more));
        return all;
    }
}
