package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An ordinary user profiles their own JVM. */
class UnprivilegedTest {
    private static final Path PROFILER = Example.named("class-loads").jar();

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void profilerIsAttachedAskedAndDetachedByAnOrdinaryUser(Jdk jdk, @TempDir Path parent) throws Exception {
        List<String> asNobody = Privileges.asNobody();
        Path folder = Privileges.giveToNobody(parent);
        List<String> under = new ArrayList<>(asNobody);
        under.addAll(List.of("env", "XDG_STATE_HOME=" + folder));
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .under(asNobody.toArray(String[]::new))
                .start()) {
            String pid = Long.toString(jvm.pid());
            mayfly(under, folder, "attach", pid, "--profiler", PROFILER.toString(), "--accept-lasting-cost");
            assertThat(mayfly(under, folder, "send", pid, "top").stdout()).isNotBlank();
            mayfly(under, folder, "detach", pid);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    private static Command mayfly(List<String> under, Path folder, String... arguments) {
        Command done = LaunchedMayfly.runUnder(under, Patience.of(Duration.ofMinutes(1)), folder, arguments);
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        return done;
    }

    /**
     * The target has many threads, and an ordinary user's rings are small: on a machine with six times as many runnable
     * threads as CPUs, 1.1 % were lost.
     */
    @Test
    void unprivilegedRecordingLosesLittleAndReportsIt(@TempDir Path parent) throws Exception {
        List<String> asNobody = Privileges.asNobody();
        long paranoid = Checks.setting("kernel/perf_event_paranoid");
        assumeTrue(paranoid == 2, "kernel.perf_event_paranoid is " + paranoid + ", not 2");
        Path folder = Privileges.giveToNobody(parent);
        Path file = folder.resolve("out.collapsed");
        try (Jvm jvm = Jvm.run("ManyThreads")
                .args("200")
                .under(asNobody.toArray(String[]::new))
                .start()) {
            Command done = LaunchedMayfly.runUnder(
                    asNobody,
                    Duration.ofMinutes(2),
                    folder,
                    "record",
                    "--json",
                    "-F",
                    "99",
                    "-d",
                    Scale.DEEP ? "30s" : "8s",
                    "-o",
                    file.toString(),
                    Long.toString(jvm.pid()));
            Counts counts = Counts.parse(Checks.recorded(done, file));
            long samples = Checks.number(done.stdout(), "samples");
            long lost = Checks.number(done.stdout(), "lost");
            assertThat(samples).as(done.evidence()).isGreaterThan(Scale.count(200, 1_000));
            assertThat(lost).as(done.evidence()).isLessThanOrEqualTo((samples + lost) / 20);
            assertThat(counts.with("mayfly.targets.Work.burn"))
                    .as(counts.top(5))
                    .isGreaterThan(samples / 2);
            Counts.assertAtLeast("complete stacks", Checks.number(done.stdout(), "complete"), samples, 0.997);
            assertThat(done.stdout())
                    .contains(
                            "per thread, user space only",
                            "for less than a sampling period are under-represented",
                            "time in the kernel is not sampled");
        }
    }
}
