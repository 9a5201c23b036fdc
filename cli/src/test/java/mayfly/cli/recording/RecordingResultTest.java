package mayfly.cli.recording;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import mayfly.cli.ClientSample;
import mayfly.cli.JsonPage;
import mayfly.cli.output.OutcomeWords;
import mayfly.profile.Ledger;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.Recording;
import mayfly.profile.RuntimeId;
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
        return summary(ledger);
    }

    private static List<String> summary(Ledger.Builder ledger) {
        var recording = new Recording(
                1,
                "java Main",
                "Main",
                List.of(),
                List.of(new SampledEvent("cpu", Unit.NANOSECONDS, 99)),
                "perf",
                "6.12",
                2,
                0,
                0);
        return new RecordingResult(
                        Path.of("x.html"),
                        Format.FLAMEGRAPH,
                        recording,
                        List.of(),
                        List.of(ledger.build()),
                        Optional.empty())
                .summary();
    }

    private static RecordingResult twoEvents() {
        var recording = new Recording(
                1,
                "java Main",
                "Main",
                List.of(),
                List.of(
                        new SampledEvent("cpu", Unit.NANOSECONDS, 99),
                        new SampledEvent("safepoint", Unit.NANOSECONDS, 0)),
                "both",
                "6.12",
                2,
                0,
                0);
        Ledger cpu = Ledger.builder("perf", 99)
                .count(WalkOutcome.COMPLETE, 3)
                .note("shared")
                .note("of cpu")
                .build();
        Ledger safepoint = Ledger.builder("statics", 0).note("shared").build();
        return new RecordingResult(
                Path.of("/tmp/x.mayfly"),
                Format.CAPTURE,
                recording,
                List.of(),
                List.of(cpu, safepoint),
                Optional.empty());
    }

    @Test
    void summaryOfSeveralEventsNamesEachAndHasEachNoteOnce() {
        assertThat(twoEvents().summary())
                .containsExactly(
                        "cpu: 3 samples in 0.0 s, 100.00 % complete",
                        "safepoint: no samples in 0.0 s.", "Note: shared", "Note: of cpu");
    }

    @Test
    void jsonOfSeveralEventsHasTheFieldsOfEach() throws IOException {
        JsonNode json = new ObjectMapper().readTree(twoEvents().json());
        JsonPage page = JsonPage.read("record-json.md");
        page.assertShape("", json);
        assertThat(json.get("event").asText()).isEqualTo("cpu");
        assertThat(json.get("events")).hasSize(2);
        for (JsonNode event : json.get("events")) {
            page.assertShape("One of several `events`", event);
        }
        assertThat(json.at("/events/1/event").asText()).isEqualTo("safepoint");
        assertThat(json.at("/events/1/samples").asInt()).isZero();
        assertThat(json.at("/events/0/samples").asInt()).isEqualTo(3);
    }

    @Test
    void summaryExplainsEachBrokenReasonOnce() {
        List<String> lines =
                summary(WalkOutcome.COMPLETE, WalkOutcome.NO_CFI, WalkOutcome.NO_CFI, WalkOutcome.STALE_CODE);
        assertThat(lines.getFirst()).contains("25.00 % complete, 2 no_cfi, 1 stale_code");
        assertThat(lines.subList(1, 3))
                .containsExactly(
                        "  no_cfi: native code without unwind information",
                        "  stale_code: compiled code was freed between the sample and the walk");
        assertThat(summary(WalkOutcome.COMPLETE)).noneMatch(line -> line.startsWith("  "));
    }

    @Test
    void summaryExplainsLostSamplesAndGivesAdvice() {
        Ledger.Builder ledger = Ledger.builder("perf", 9_999).addLost(1_234);
        ledger.sample(WalkOutcome.COMPLETE, 100_010);
        assertThat(summary(ledger))
                .contains(
                        "1 sample in 0.0 s, 100.00 % complete, 1,234 lost by the kernel",
                        "  lost by the kernel: its buffers were full; a lower rate (-F) leaves more time to read them");
        assertThat(summary(WalkOutcome.COMPLETE)).noneMatch(line -> line.contains("lost"));
    }

    @ParameterizedTest
    @EnumSource(value = WalkOutcome.class, names = "COMPLETE", mode = EnumSource.Mode.EXCLUDE)
    void everyOutcomeHasADescription(WalkOutcome outcome) {
        assertThat(OutcomeWords.of(outcome)).doesNotContain("troubleshooting").hasSizeLessThan(70);
    }

    @Test
    void recordJsonEqualsTheSamplesOfTheClient() throws IOException {
        Ledger.Builder ledger = Ledger.builder("perf, per thread", 99)
                .durationNanos(10_000_000_001L)
                .count(WalkOutcome.COMPLETE, 900)
                .count(WalkOutcome.TRUNCATED, 1)
                .count(WalkOutcome.SHORTENED, 2)
                .count(WalkOutcome.UNPROVEN, 3)
                .count(WalkOutcome.NO_CFI, 4)
                .count(WalkOutcome.STALE_CODE, 5)
                .addLost(6)
                .addThrottled(7)
                .addDuplicates(8)
                .addSampledCpuNanos(9_242_424_242L)
                .procCpuNanos(9_500_000_000L)
                .addSupersededFrames(9)
                .addContinuedStacks(10)
                .addUnsavedStacks(11)
                .addInferredLeaves(12)
                .alarm("an \"alarm\"")
                .note("a note");
        ClientSample.compare("record.json", json("cpu", Unit.NANOSECONDS, ledger));
        ClientSample.compare(
                "record-wall.json",
                json("wall", Unit.NANOSECONDS, Ledger.builder("ptrace", 10).procCpuNanos(-1)));
    }

    private static String json(String event, Unit unit, Ledger.Builder ledger) {
        var recording = new Recording(
                7,
                "java a.Main",
                "a.Main",
                List.of(new RecordedRuntime(new RuntimeId(1), "java", "HotSpot", "25.0.3+9-LTS")),
                List.of(new SampledEvent(event, unit, 99)),
                "perf",
                "6.12",
                2,
                0,
                0);
        return new RecordingResult(
                        Path.of("/tmp/cpu.html"),
                        Format.FLAMEGRAPH,
                        recording,
                        List.of(),
                        List.of(ledger.build()),
                        Optional.empty())
                .json();
    }
}
