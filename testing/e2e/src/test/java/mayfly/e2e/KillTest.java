package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code kill -9} of Mayfly at any instant: the target runs on, and nothing is left behind. */
class KillTest {
    /** From before the first instruction to after the end of a recording of half a second. */
    private static final int LATEST_MILLIS = 1_600;

    @ParameterizedTest
    @ValueSource(strings = {"system-wide html", "per-thread html", "ptrace html", "ptrace mayfly"})
    void theTargetRunsOnAndNothingIsLeft(String how, @TempDir Path folder) throws Exception {
        String collector = how.substring(0, how.indexOf(' '));
        String suffix = how.substring(how.indexOf(' ') + 1);
        long seed = Long.getLong("mayfly.seed", System.nanoTime());
        Random random = new Random(seed);
        try (Jvm jvm = Jvm.run("Busy").args("2").start()) {
            for (int i = 0; i < Scale.count(5, 100); i++) {
                int millis = random.nextInt(LATEST_MILLIS);
                String what = "kill number " + i + " after " + millis + " ms, -Dmayfly.seed=" + seed;
                Path file = folder.resolve("out." + suffix);
                boolean ended;
                try (LaunchedMayfly mayfly = LaunchedMayfly.start("record", "--collector", collector, "-F", "999",
                        "-d", "500ms", "-o", file.toString(), Long.toString(jvm.pid()))) {
                    ended = mayfly.process().waitFor(Duration.ofMillis(millis));
                    mayfly.process().destroyForcibly().waitFor();
                }
                assertRunsOn(jvm, what);
                List<String> left = Said.files(folder).stream().map(path -> path.getFileName().toString()).toList();
                if (suffix.equals("mayfly")) {
                    // What there is of a capture that is wanted can be read, so it stays: docs/formats/capture.md.
                    assertThat(left).as(what).allMatch(name -> name.equals("out.mayfly")
                            || name.startsWith(".out.mayfly.") && name.endsWith(".capture.part"));
                } else {
                    assertThat(left).as(what).allMatch(name -> name.equals("out." + suffix));
                }
                assertThat(ended && left.isEmpty()).as(what + ": ended, but wrote nothing").isFalse();
                for (Path each : Said.files(folder)) {
                    Files.delete(each);
                }
            }
        }
    }

    /** Both threads use CPU, none is stopped or traced. */
    private static void assertRunsOn(Jvm jvm, String what) throws IOException {
        long before = Long.parseLong(jvm.ask("cpu"));
        for (Path task : Said.files(Path.of("/proc/" + jvm.pid() + "/task"))) {
            List<String> status = Files.readAllLines(task.resolve("status"));
            assertThat(status).as(what).contains("TracerPid:\t0")
                    .noneMatch(line -> line.startsWith("State:\tT") || line.startsWith("State:\tt"));
        }
        long now = before;
        long deadline = System.nanoTime() + 10_000_000_000L;
        while (now < before + 5_000_000 && System.nanoTime() < deadline) {
            now = Long.parseLong(jvm.ask("cpu"));
        }
        assertThat(now).as(what).isGreaterThanOrEqualTo(before + 5_000_000);
    }
}
