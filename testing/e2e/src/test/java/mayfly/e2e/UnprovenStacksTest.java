package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import mayfly.kit.Command;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An ordinary user samples stacks that are larger than the kernel's copy. */
class UnprovenStacksTest {
    /** The root and the leaf of a stack of {@code Alternation}, which belong to one call or to two. */
    private enum Ends {
        OF_ONE_CALL,
        OF_TWO_CALLS,
        NOT_BOTH_KNOWN
    }

    @Test
    void stackThatWasReadInTwoCallsIsNotComplete(@TempDir Path parent) throws Exception {
        List<String> asNobody = asNobody();
        Path folder = Privileges.giveToNobody(parent);
        Path file = folder.resolve("out.mayfly");
        try (Jvm jvm = Jvm.run("Alternation")
                .args("4000")
                .under(asNobody.toArray(String[]::new))
                .start()) {
            Command done = LaunchedMayfly.runUnder(
                    asNobody,
                    Duration.ofMinutes(2),
                    folder,
                    "record",
                    "--json",
                    "-F",
                    "999",
                    "-d",
                    "5s",
                    "-o",
                    file.toString(),
                    Long.toString(jvm.pid()));
            assertThat(done.exitCode()).as(done.evidence()).isZero();
            Profile profile = CaptureReader.read(file);
            int unproven = 0;
            for (int i = 0; i < profile.sampleCount(); i++) {
                WalkOutcome outcome = profile.outcomeOf(i);
                unproven += outcome == WalkOutcome.UNPROVEN ? 1 : 0;
                if (outcome == WalkOutcome.COMPLETE || outcome == WalkOutcome.SHORTENED) {
                    assertThat(ends(profile.stack(i).frames())).as(outcome.id()).isNotEqualTo(Ends.OF_TWO_CALLS);
                }
            }
            assertThat(unproven).as(InProcessRecording.evidence(profile)).isPositive();
            assertThat(Checks.number(done.stdout(), "unproven")).isEqualTo(unproven);
            assertThat(done.stderr()).contains(" unproven");
        }
    }

    /**
     * The stack memory of a thread is reused by a later thread that does the same, with the same words in the same
     * places.
     */
    @Test
    void stackOfAnEndedThreadIsNotTakenForThatOfALaterOne(@TempDir Path parent) throws Exception {
        List<String> asNobody = asNobody();
        Path folder = Privileges.giveToNobody(parent);
        Path library = folder.resolve("libuntouchedbuffer.so");
        Files.copy(
                CSource.library(
                        Path.of("..", "targets", "src", "main", "c", "untouchedbuffer.c"), "libuntouchedbuffer.so"),
                library);
        Path file = folder.resolve("out.mayfly");
        List<String> line = new ArrayList<>(List.of("run", "-F", "999", "-o", file.toString(), "--"));
        line.addAll(Jvm.run("UntouchedBuffer").args(library.toString(), "40").command());
        Command done = LaunchedMayfly.runUnder(asNobody, Duration.ofMinutes(2), folder, line.toArray(String[]::new));
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        Profile profile = CaptureReader.read(file);
        assertThat(profile.ledger().count(WalkOutcome.THREAD_GONE))
                .as(InProcessRecording.evidence(profile))
                .isPositive();
        for (int i = 0; i < profile.sampleCount(); i++) {
            if (profile.outcomeOf(i) == WalkOutcome.THREAD_GONE) {
                assertThat(profile.stack(i).frames()).extracting(Frame::label).doesNotContain("java.lang.Thread.run");
            }
        }
    }

    /** Returns a prefix that runs a command as a user who may sample by perf, but not save stacks by BPF. */
    private static List<String> asNobody() throws Exception {
        long paranoid = Checks.setting("kernel/perf_event_paranoid");
        assumeTrue(paranoid == 2, "kernel.perf_event_paranoid is " + paranoid + ", not 2");
        return Privileges.asNobody();
    }

    private static Ends ends(List<Frame> frames) {
        Set<String> labels = frames.stream().map(Frame::label).collect(Collectors.toSet());
        boolean first = labels.contains("mayfly.targets.Alternation.fromFirst");
        boolean second = labels.contains("mayfly.targets.Alternation.fromSecond");
        boolean toFirst = labels.contains("mayfly.targets.Alternation.toFirst");
        boolean toSecond = labels.contains("mayfly.targets.Alternation.toSecond");
        if (first == second || toFirst == toSecond) {
            return Ends.NOT_BOTH_KNOWN;
        }
        return first == toFirst ? Ends.OF_ONE_CALL : Ends.OF_TWO_CALLS;
    }
}
