package mayfly.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.discovery.Doctor.Need;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Detail;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.Measure;
import mayfly.profile.Profile;
import mayfly.profile.RuntimeId;
import mayfly.profile.SampledEvent;
import mayfly.profile.Unit;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import mayfly.record.event.Collector;
import mayfly.record.event.EventSource;
import mayfly.record.event.RecordingEvent;
import mayfly.record.event.SampleSink;
import mayfly.record.event.SourceCost;
import mayfly.record.event.SourceKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Records an event that is not in the table, for which one class and one row suffice. Uses this process as the target.
 */
class NewEventTest {
    private static final int PID = (int) ProcessHandle.current().pid();
    private static final Frame LEAF =
            new Frame.Managed(new RuntimeId(1), "java", Frame.Managed.INTERPRETED, "", "Orders", "place", "()V", 0, -1);
    private static final Frame ROOT =
            new Frame.Managed(new RuntimeId(1), "java", Frame.Managed.INTERPRETED, "", "Orders", "main", "()V", 0, -1);

    private static final Map<String, Long> LOST = Map.of("alloc", 3L, "live", 5L);

    /** The rows of two new events. */
    private static final RecordingEvent ALLOC = event("alloc", "allocated memory");

    private static final RecordingEvent LIVE = event("live", "live memory");

    private static RecordingEvent event(String id, String quantity) {
        return new RecordingEvent(
                id,
                quantity,
                "of the script",
                Unit.BYTES,
                List.of(Measure.BYTES, Measure.COUNT, Measure.STATE),
                false,
                RecordingEvent.Sum.NONE,
                List.of(new SourceKind(
                        Collector.PER_THREAD,
                        Set.of(Need.MEMORY),
                        new SourceCost(
                                0, SourceCost.ANY_RATE, List.of(new SourceCost.StackCopy(SourceCost.ANY_RATE, 0))),
                        List.of("memory of native code is not sampled"),
                        (request, kind) -> new Scripted(id))));
    }

    /** The class of the new event: a source with two samples, after which its target ends. */
    private static final class Scripted implements EventSource {
        private final String id;
        private boolean enabled;
        private int drains;

        Scripted(String id) {
            this.id = id;
        }

        @Override
        public void enable() {
            enabled = true;
        }

        @Override
        public boolean await(int timeoutMillis) {
            return drains < 2;
        }

        @Override
        public void drain(SampleSink sink) throws CaptureWriteException {
            if (!enabled || drains++ > 1) {
                return;
            }
            sink.begin();
            sink.accept(LEAF);
            sink.accept(ROOT);
            sink.write(
                    PID,
                    System.nanoTime(),
                    new long[] {4096L * drains, drains, sink.word("in a TLAB")},
                    WalkOutcome.COMPLETE);
        }

        @Override
        public void disable() {
            enabled = false;
        }

        @Override
        public long lost() {
            return LOST.get(id);
        }

        @Override
        public String description() {
            return "a script";
        }

        @Override
        public void account(Ledger.Builder ledger) {
            ledger.addLost(lost()).note("a note of " + id);
        }

        @Override
        public void close() {
            // nothing is open
        }
    }

    private static RecordingOptions options(Collector collector) {
        return new RecordingOptions(ALLOC, 99, Duration.ZERO, collector, true);
    }

    private static Profile recorded(Path file) throws Exception {
        try (var session = RecordingSession.open(PID, options(Collector.AUTO), file)) {
            assertThat(session.describe()).endsWith(", a script").doesNotContain("Hz");
            session.run((samples, elapsed, lost) -> {});
        }
        return CaptureReader.read(file);
    }

    private static Profile read(Path file, RecordingEvent event) throws Exception {
        try (InputStream in = Files.newInputStream(file)) {
            return CaptureReader.read(in, Detail.EVERY_SAMPLE, CaptureReader.ANY_REACH, event.id());
        }
    }

    @Test
    void severalEventsAreInOneCaptureWithALedgerEach(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("both.mayfly");
        var options = new RecordingOptions(
                List.of(ALLOC, LIVE), 99, Duration.ZERO, Collector.AUTO, true, RecordingOptions.MIN_WAIT);
        try (var session = RecordingSession.open(PID, options, file)) {
            assertThat(session.describe()).endsWith(", alloc: a script; live: a script");
            session.run((samples, elapsed, lost) -> {});
            assertThat(session.ledgers()).hasSize(2);
        }
        for (RecordingEvent event : options.events()) {
            Profile profile = read(file, event);
            assertThat(profile.recording().events())
                    .extracting(SampledEvent::name)
                    .containsExactly("alloc", "live");
            assertThat(profile.sampleCount()).isEqualTo(2);
            assertThat(profile.frames()).as("shared by both").hasSize(2);
            assertThat(profile.threads()).hasSize(1);
            assertThat(profile.ledger().complete()).isEqualTo(2);
            assertThat(profile.ledger().lost()).isEqualTo(LOST.get(event.id()));
            assertThat(profile.ledger().notes())
                    .filteredOn(note -> note.startsWith("a note of"))
                    .containsExactly("a note of " + event.id());
            assertThat(profile.ledger().collector()).isEqualTo("a script");
            assertThat(profile.ledger().cutShort()).isFalse();
        }
    }

    @Test
    void eventThatIsNamedTwiceIsRefused() {
        List<RecordingEvent> twice = List.of(ALLOC, ALLOC);
        assertThatThrownBy(() ->
                        new RecordingOptions(twice, 99, Duration.ZERO, Collector.AUTO, true, RecordingOptions.MIN_WAIT))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RecordingOptions(
                        List.of(), 99, Duration.ZERO, Collector.AUTO, true, RecordingOptions.MIN_WAIT))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void stubEventIsRecordedWithItsUnitAndMeasures(@TempDir Path folder) throws Exception {
        Profile profile = recorded(folder.resolve("alloc.mayfly"));
        assertThat(profile.recording().events())
                .containsExactly(new SampledEvent(
                        "alloc", Unit.BYTES, 0, 0, List.of(Measure.BYTES, Measure.COUNT, Measure.STATE)));
        assertThat(profile.recording().collector()).isEqualTo("a script");
        assertThat(profile.sampleCount()).isEqualTo(2);
        assertThat(profile.valueOf(1)).isEqualTo(8192);
        assertThat(profile.valueOf(1, Measure.COUNT)).isEqualTo(2);
        assertThat(profile.stateOf(1)).isEqualTo("in a TLAB");
        assertThat(profile.frames()).hasSize(2).first().isEqualTo(ROOT);
        assertThat(profile.stackOf(0)).as("the same stack").isEqualTo(profile.stackOf(1));
        assertThat(profile.warnings()).isEmpty();
    }

    @Test
    void ledgerOfStubEventCountsSamplesAndLossesButNoCpuTime(@TempDir Path folder) throws Exception {
        Ledger ledger = recorded(folder.resolve("alloc.mayfly")).ledger();
        assertThat(ledger.complete()).isEqualTo(2);
        assertThat(ledger.lost()).isEqualTo(3);
        assertThat(ledger.rate()).isZero();
        assertThat(ledger.sampledCpuNanos()).isZero();
        assertThat(ledger.procCpuNanos()).isEqualTo(-1);
        assertThat(ledger.notes()).contains("memory of native code is not sampled");
    }

    @Test
    void collectorWithoutSourceOfTheEventIsRefused() {
        assertThatThrownBy(() -> options(Collector.PTRACE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("allocated memory");
    }
}
