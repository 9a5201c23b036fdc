package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Threads that end before their first sample is walked, below a frame with untouched pages: the kernel's copy of the
 * stack ends there, and only the thread's fs base shows the end of the stack.
 */
class YoungThreadsTest {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int THREADS = 20;
    private static final int BEHIND_MILLIS = 400;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    /** Before Mayfly used the fs base, 89 to 95 % of the stacks were complete. */
    @ParameterizedTest
    @MethodSource("jdks")
    void stacksOfShortThreadsAboveALargeUntouchedFrameAreComplete(Jdk jdk) throws Exception {
        Path capture = folder.resolve("young.mayfly");
        Command done = LaunchedMayfly.run(LIMIT, folder, line(jdk, capture));
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        assertWhole(CaptureReader.read(capture));
    }

    /**
     * The recorder falls behind, as on a busy machine or while it opens the JVM. When the saved pages of 400 ms did not
     * fit into the ring, 56 to 90 % of the stacks were complete.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    void stacksOfShortThreadsAreCompleteIfTheRecorderFallsBehind(Jdk jdk) throws Exception {
        Path capture = folder.resolve("late.mayfly");
        try (LaunchedMayfly mayfly = LaunchedMayfly.start(line(jdk, capture))) {
            ProcessHandle recorder = mayfly.process().toHandle();
            ProcessHandle program = awaitYoungThread(recorder);
            Signals.send(recorder.pid(), "STOP");
            awaitCpuTime(program, cpuTime(program).plusMillis(BEHIND_MILLIS));
            Signals.send(recorder.pid(), "CONT");
            assertThat(mayfly.process().waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(mayfly.process().exitValue()).as(mayfly.stderr()).isZero();
        }
        assertWhole(CaptureReader.read(capture));
    }

    private String[] line(Jdk jdk, Path capture) throws Exception {
        assumeTrue(
                Files.readString(Path.of("/proc/self/status")).contains("Uid:\t0\t"),
                "only root may save stacks by BPF");
        Path source = Path.of("..", "targets", "src", "main", "c", "untouchedbuffer.c");
        Path library = CSource.library(source, "libuntouchedbuffer.so");
        List<String> line = new ArrayList<>(List.of("run", "-q", "-F", "999", "-o", capture.toString(), "--"));
        line.addAll(Jvm.run("UntouchedBuffer")
                .on(jdk)
                .args(library.toString(), Integer.toString(THREADS))
                .command());
        return line.toArray(String[]::new);
    }

    private static ProcessHandle awaitYoungThread(ProcessHandle recorder) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            Optional<ProcessHandle> program =
                    recorder.children().filter(YoungThreadsTest::hasYoungThread).findFirst();
            if (program.isPresent()) {
                return program.get();
            }
            assertThat(System.nanoTime())
                    .as("no thread of the program was seen")
                    .isLessThan(deadline);
        }
    }

    /**
     * Waits for CPU time, because perf samples CPU time: on a busy machine the wait is longer, and the recorder misses
     * the same number of samples.
     */
    private static void awaitCpuTime(ProcessHandle program, Duration wanted) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (program.isAlive() && cpuTime(program).compareTo(wanted) < 0) {
            assertThat(System.nanoTime()).as("the program does not run").isLessThan(deadline);
        }
    }

    private static Duration cpuTime(ProcessHandle program) {
        return program.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private static boolean hasYoungThread(ProcessHandle process) {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            return tasks.anyMatch(task -> {
                try {
                    return Files.readString(task.resolve("comm")).equals("young\n");
                } catch (IOException e) {
                    return false; // it has ended
                }
            });
        } catch (IOException e) {
            return false;
        }
    }

    private static void assertWhole(Profile profile) {
        double complete = 0;
        for (int i = 0; i < profile.sampleCount(); i++) {
            complete += profile.outcomeOf(i) == WalkOutcome.COMPLETE ? 1 : 0;
        }
        assertThat(complete / profile.sampleCount())
                .as(InProcessRecording.evidence(profile))
                .isGreaterThan(0.985);
        assertThat(profile.sampleCount())
                .as(InProcessRecording.evidence(profile))
                .isGreaterThan(20 * THREADS);
    }
}
