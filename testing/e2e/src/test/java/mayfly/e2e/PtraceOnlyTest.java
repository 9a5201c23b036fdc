package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Without perf events Mayfly stops threads, and the result reports this. */
class PtraceOnlyTest {
    private static final Duration LIMIT = Patience.of(Duration.ofMinutes(2));
    /** The default rate is 99 Hz. */
    private static final long PERIOD_NANOS = 1_000_000_000L / 99;

    @Test
    void ptraceRecordingOfTheDemoShowsItsStopTimes(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("demo.html");
        Command done =
                LaunchedMayfly.run(LIMIT, folder, "demo", "--collector", "ptrace", "-d", "3s", "-o", file.toString());
        String page = Checks.unpacked(Checks.recorded(done, file));
        for (String words : List.of("ptrace", "sampled by stopping threads", " stops, median ", " ms in all")) {
            assertThat(page.contains(words))
                    .as(words + " in the page\n" + done.evidence())
                    .isTrue();
        }
        Matcher sampled = Pattern.compile("sampling process (\\d+) .*ptrace").matcher(done.stderr());
        assertThat(sampled.find()).as(done.evidence()).isTrue();
        assertThat(Path.of("/proc", sampled.group(1)))
                .as("the demo's program\n" + done.evidence())
                .doesNotExist();
    }

    @Test
    void ptraceRecordingHasCorrectSharesAndStopTimes(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("out.collapsed");
        try (Jvm jvm = Jvm.run("Shares").start()) {
            Command done = LaunchedMayfly.run(
                    LIMIT,
                    folder,
                    "record",
                    "--json",
                    "--collector",
                    "ptrace",
                    "-d",
                    Scale.DEEP ? "30s" : "5s",
                    "-o",
                    file.toString(),
                    Long.toString(jvm.pid()));
            Counts counts = Counts.parse(Checks.recorded(done, file));
            assertThat(done.stdout()).contains("\"collector\":\"ptrace", "sampled by stopping threads");
            long samples = Checks.number(done.stdout(), "samples");
            assertThat(samples).as(done.evidence()).isGreaterThan(Scale.count(200, 1_200));
            Counts.assertAtLeast(
                    "complete stacks\n" + done.evidence(), Checks.number(done.stdout(), "complete"), samples, 0.997);
            long fifty = counts.with("mayfly.targets.Shares.fifty");
            long thirty = counts.with("mayfly.targets.Shares.thirty");
            long twenty = counts.with("mayfly.targets.Shares.twenty");
            // The counts are CPU time, so the statistical error is computed from the number of samples. A sample counts
            // for the CPU time since the one before, which varies. On a busy machine it varies as if it
            // were exponentially distributed, and N such samples give the same error as N / 2 samples of equal weight.
            // If the program got little CPU time, most samples count for none.
            long nanos = fifty + thirty + twenty;
            long counting = Math.min(samples, nanos / PERIOD_NANOS);
            double margin = 0.04 + Counts.chance(0.5, counting / 2);
            double share = (double) fifty / nanos;
            assertThat(share).as(counts.top(5)).isBetween(0.5 - margin, 0.5 + margin);
            assertThat(jvm.isAlive()).isTrue();
        }
    }
}
