package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.profile.CaptureReader;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Threads that end before their first sample is walked, below a frame with pages that were never touched: the kernel's copy
 * of the stack ends there, and the end of the stack is known from the thread's fs base only.
 */
class YoungThreadsTest {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int THREADS = 20;

    @TempDir
    private Path folder;

    static List<Jdk> jdks() {
        return Scale.jdks();
    }

    /** Before the fs base was used, 89 to 95 % were complete. */
    @ParameterizedTest
    @MethodSource("jdks")
    void stacksOfThreadsThatSoonEndAreWholeAboveALargeUntouchedFrame(Jdk jdk) throws Exception {
        assumeTrue(Files.readString(Path.of("/proc/self/status")).contains("Uid:\t0\t"), "only root may save stacks by BPF");
        Path include = Jdk.current().home().resolve("include");
        Path source = Path.of("..", "targets", "src", "main", "c", "untouchedbuffer.c");
        Path library = CSource.build(source, "libuntouchedbuffer.so", "-shared", "-fPIC", "-I" + include,
                "-I" + include.resolve("linux"));
        Path capture = folder.resolve("young.mayfly");
        List<String> line = new ArrayList<>(List.of("run", "-q", "-F", "999", "-o", capture.toString(), "--"));
        line.addAll(Jvm.run("UntouchedBuffer").on(jdk).args(library.toString(), Integer.toString(THREADS)).command());
        Command done = LaunchedMayfly.run(LIMIT, folder, line.toArray(String[]::new));
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        Profile profile = CaptureReader.read(capture);
        double complete = 0;
        for (int i = 0; i < profile.sampleCount(); i++) {
            complete += profile.outcomeOf(i) == WalkOutcome.COMPLETE ? 1 : 0;
        }
        assertThat(complete / profile.sampleCount()).as(Recorded.evidence(profile)).isGreaterThan(0.985);
        assertThat(profile.sampleCount()).as(Recorded.evidence(profile)).isGreaterThan(20 * THREADS);
    }
}
