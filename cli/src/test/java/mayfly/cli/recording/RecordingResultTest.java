package mayfly.cli.recording;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import mayfly.cli.output.OutcomeWords;
import mayfly.profile.Ledger;
import mayfly.profile.Recording;
import mayfly.profile.SampledEvent;
import mayfly.profile.Unit;
import mayfly.profile.WalkOutcome;
import mayfly.report.Format;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecordingResultTest {
    private static List<String> summary(WalkOutcome... outcomes) {
        Ledger.Builder ledger = Ledger.builder("perf", 99);
        for (WalkOutcome outcome : outcomes) {
            ledger.sample(outcome, 10_101_010);
        }
        var recording = new Recording(1, "java Main", "Main", List.of(),
                List.of(new SampledEvent("cpu", Unit.NANOSECONDS, 99)), "perf",
                "6.12", 2, 0, 0);
        return new RecordingResult(Path.of("x.html"), Format.FLAMEGRAPH, recording, List.of(), ledger.build(),
                Optional.empty()).summary();
    }

    @Test
    void summaryExplainsEachBrokenReasonOnce() {
        List<String> lines = summary(WalkOutcome.COMPLETE, WalkOutcome.NO_CFI, WalkOutcome.NO_CFI,
                WalkOutcome.STALE_CODE);
        assertThat(lines.getFirst()).contains("25.00 % complete, 2 no_cfi, 1 stale_code");
        assertThat(lines.subList(1, 3)).containsExactly("  no_cfi: native code without unwind information",
                "  stale_code: compiled code was freed between the sample and the walk");
        assertThat(summary(WalkOutcome.COMPLETE)).noneMatch(line -> line.startsWith("  "));
    }

    @ParameterizedTest
    @EnumSource(value = WalkOutcome.class, names = "COMPLETE", mode = EnumSource.Mode.EXCLUDE)
    void everyOutcomeHasADescription(WalkOutcome outcome) {
        assertThat(OutcomeWords.of(outcome)).doesNotContain("troubleshooting").hasSizeLessThan(70);
    }
}
