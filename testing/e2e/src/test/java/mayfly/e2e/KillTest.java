package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import mayfly.kit.Command;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code kill -9} of Mayfly at any instant: the target continues, and nothing is left behind. */
class KillTest {
    /** The latest kill, after the end of a recording of half a second; the earliest precedes the first instruction. */
    private static final int LATEST_MILLIS = 1_600;

    @ParameterizedTest
    @ValueSource(strings = {"system-wide html", "per-thread html", "ptrace html", "ptrace mayfly"})
    void targetContinuesAndNothingIsLeftAfterAKill(String how, @TempDir Path folder) throws Exception {
        String collector = how.substring(0, how.indexOf(' '));
        String suffix = how.substring(how.indexOf(' ') + 1);
        long seed = Long.getLong("mayfly.seed", System.nanoTime());
        Random random = new Random(seed);
        try (Jvm jvm = Jvm.run("Busy").args("2").start()) {
            for (int i = 0; i < Scale.count(3, 100); i++) {
                int millis = random.nextInt(LATEST_MILLIS);
                String what = "kill number " + i + " after " + millis + " ms, -Dmayfly.seed=" + seed;
                Path file = folder.resolve("out." + suffix);
                boolean ended;
                try (LaunchedMayfly mayfly = LaunchedMayfly.start(
                        "record",
                        "--collector",
                        collector,
                        "-F",
                        "999",
                        "-d",
                        "500ms",
                        "-o",
                        file.toString(),
                        Long.toString(jvm.pid()))) {
                    ended = mayfly.process().waitFor(Duration.ofMillis(millis));
                    mayfly.process().destroyForcibly().waitFor();
                }
                assertRunsOn(jvm, what);
                List<String> left = Checks.files(folder).stream()
                        .map(path -> path.getFileName().toString())
                        .toList();
                if (suffix.equals("mayfly")) {
                    // A partial capture that was requested is readable, so it stays: docs/formats/capture.md.
                    assertThat(left)
                            .as(what)
                            .allMatch(name -> name.equals("out.mayfly")
                                    || name.startsWith(".out.mayfly.") && name.endsWith(".capture.part"));
                } else {
                    assertThat(left).as(what).allMatch(name -> name.equals("out." + suffix));
                }
                assertThat(ended && left.isEmpty())
                        .as(what + ": ended, but wrote nothing")
                        .isFalse();
                for (Path each : Checks.files(folder)) {
                    Files.delete(each);
                }
            }
        }
    }

    /** The page is larger than the part held in memory, so that the kill interrupts its write. */
    @Test
    void killDuringTheWriteOfALargePageLeavesNothing(@TempDir Path in, @TempDir Path folder) throws Exception {
        Path capture = LargeCapture.write(in.resolve("large.mayfly"));
        Path whole = in.resolve("whole.collapsed");
        Path taken = Files.writeString(folder.resolve("taken.collapsed"), "precious");
        for (String name : List.of("new.collapsed", "taken.collapsed")) {
            try (LaunchedMayfly mayfly = LaunchedMayfly.start(
                    "convert", capture.toString(), folder.resolve(name).toString())) {
                assertThat(awaitBytes(mayfly.process().pid(), folder, 20 << 20))
                        .as(mayfly.stderr())
                        .isTrue();
                mayfly.process().destroyForcibly().waitFor();
            }
            assertThat(Checks.files(folder)).containsExactly(taken);
            assertThat(taken).hasContent("precious");
        }
        Command done = LaunchedMayfly.run("convert", capture.toString(), whole.toString());
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        assertThat(Files.size(whole)).isGreaterThan(LargeCapture.MIN_COLLAPSED_BYTES);
    }

    /** Waits until a process has written that many bytes to an open file in a folder. */
    private static boolean awaitBytes(long pid, Path folder, long bytes) {
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (System.nanoTime() - deadline < 0) {
            String[] numbers = new File("/proc/" + pid + "/fd").list();
            for (String number : numbers == null ? new String[0] : numbers) {
                Path fd = Path.of("/proc/" + pid + "/fd", number);
                try {
                    if (Files.readSymbolicLink(fd).startsWith(folder) && Files.size(fd) >= bytes) {
                        return true;
                    }
                } catch (IOException e) {
                    continue; // closed meanwhile
                }
            }
        }
        return false;
    }

    /** Asserts that both threads use CPU and that no thread is stopped or traced. */
    private static void assertRunsOn(Jvm jvm, String what) throws IOException {
        long before = Long.parseLong(jvm.ask("cpu"));
        for (Path task : Checks.files(Path.of("/proc/" + jvm.pid() + "/task"))) {
            List<String> status = Files.readAllLines(task.resolve("status"));
            assertThat(status)
                    .as(what)
                    .contains("TracerPid:\t0")
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
