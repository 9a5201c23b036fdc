package mayfly.e2e;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import mayfly.kit.Command;

/** System calls that fail as in a container, see src/test/c/deny.c. */
final class Denial {
    private Denial() {
    }

    /** What runs a command in which calls fail, such as {@code bpf=EPERM}; skips the test where it cannot be had. */
    static List<String> of(String... calls) throws IOException {
        Path folder = Files.createDirectories(Path.of("target", "c").toAbsolutePath());
        Path program = folder.resolve("deny");
        Path source = Path.of("src", "test", "c", "deny.c");
        if (!Files.exists(program)
                || Files.getLastModifiedTime(program).compareTo(Files.getLastModifiedTime(source)) < 0) {
            try {
                Command gcc = Command.run(Duration.ofSeconds(60), "gcc", "-O1", "-Wall", "-o", program.toString(),
                        source.toString());
                assumeTrue(gcc.exitCode() == 0, "gcc cannot build deny.c here: " + gcc.stderr());
            } catch (UncheckedIOException e) {
                assumeTrue(false, "no gcc: " + e.getMessage());
            }
        }
        List<String> line = new ArrayList<>(List.of(program.toString()));
        line.addAll(List.of(calls));
        line.add("--");
        assumeTrue(Command.run(Duration.ofSeconds(60), with(line, "true").toArray(String[]::new)).exitCode() == 0,
                "no seccomp filter can be set here");
        return List.copyOf(line);
    }

    /** A command line in two parts. */
    static List<String> with(List<String> first, String... more) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(more));
        return all;
    }
}
