package mayfly.profile;

import static mayfly.profile.WrittenCaptures.again;
import static mayfly.profile.WrittenCaptures.read;
import static mayfly.profile.WrittenCaptures.severalEvents;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.util.List;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.ThreadTotals;
import org.junit.jupiter.api.Test;

/** A capture of several events is read one event at a time. */
class CaptureEventsTest {
    @Test
    void eventsOfOneFileAreReadOneByOneWithTheirMeasures() throws Exception {
        byte[] bytes = severalEvents();
        Profile cpu = read(bytes);
        assertThat(cpu.warnings()).isEmpty();
        assertThat(cpu.event().name()).isEqualTo("cpu");
        assertThat(cpu.recording().events()).extracting(SampledEvent::name).containsExactly("cpu", "alloc", "off-cpu");
        assertThat(cpu.recording().runtimes()).extracting(RecordedRuntime::line).containsExactly("r2 CPython 3.13.0");
        assertThat(cpu.sampleCount()).isEqualTo(1);
        assertThat(cpu.libraries())
                .containsExactly(new RecordedLibrary("libc.so.6", "c0ffee"), new RecordedLibrary("libz.so.1", ""));
        Profile alloc = read(bytes, Detail.EVERY_SAMPLE, "alloc");
        assertThat(alloc.event())
                .isEqualTo(new SampledEvent("alloc", Unit.BYTES, 0, 1 << 20, List.of(Measure.BYTES, Measure.COUNT)));
        assertThat(alloc.sample(0)).isEqualTo(new Sample(5_000_000_020L, 0, 2, 4096, WalkOutcome.COMPLETE));
        assertThat(alloc.valueOf(0, Measure.COUNT)).isEqualTo(2);
        assertThatThrownBy(() -> alloc.stateOf(0)).isInstanceOf(IllegalArgumentException.class);
        Profile offCpu = read(bytes, Detail.EVERY_SAMPLE, "off-cpu");
        assertThat(offCpu.valueOf(0, Measure.DURATION)).isEqualTo(-7);
        assertThat(offCpu.stateOf(0)).isEqualTo("blocked");
        assertThat(offCpu.stateOf(1)).isEmpty();
        assertThat(offCpu.outcomeOf(0)).isEqualTo(WalkOutcome.NO_CFI);
        Profile sums = read(bytes, Detail.SUMS, "off-cpu");
        assertThat(sums.sampleCount()).as("one for each outcome").isEqualTo(2);
        assertThatThrownBy(() -> sums.stateOf(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> read(bytes, Detail.SUMS, "lock"))
                .isInstanceOf(BadCapture.class)
                .hasMessage("the capture has no event lock, only cpu, alloc, off-cpu");
    }

    @Test
    void eachEventHasItsOwnLedgerOrOneCountedFromItsSamples() throws Exception {
        byte[] bytes = severalEvents();
        assertThat(read(bytes).ledger().samples()).as("as written").isEqualTo(4);
        Ledger counted = read(bytes, Detail.SUMS, "off-cpu").ledger();
        assertThat(counted.count(WalkOutcome.NO_CFI)).isEqualTo(1);
        assertThat(counted.samples()).isEqualTo(2);
        assertThat(counted.cutShort()).as("the recording has an end").isFalse();
    }

    @Test
    void samplesOfAllEventsAreAddedUpByThreadAndState() throws Exception {
        ThreadTotals totals = CaptureReader.threadTotals(new ByteArrayInputStream(severalEvents()));
        assertThat(totals.totals())
                .containsExactlyInAnyOrder(
                        new ThreadTotals.Total(0, 0, "", 1, 10),
                        new ThreadTotals.Total(0, 1, "", 1, 4096),
                        new ThreadTotals.Total(0, 2, "blocked", 1, 0),
                        new ThreadTotals.Total(0, 2, "", 1, 9));
        assertThat(totals.threads()).extracting(SampledThread::name).containsExactly("main");
        assertThat(totals.recording().events()).hasSize(3);
        assertThat(totals.warnings()).isEmpty();
    }

    @Test
    void aProfileIsWrittenAsACaptureOfItsEvent() throws Exception {
        Profile offCpu = read(severalEvents(), Detail.EVERY_SAMPLE, "off-cpu");
        Profile again = again(offCpu);
        assertThat(again.recording().events()).containsExactly(offCpu.event());
        assertThat(again.libraries()).isEqualTo(offCpu.libraries());
        assertThat(again.stateOf(0)).isEqualTo("blocked");
        assertThat(again.valueOf(1)).isEqualTo(9);
        assertThat(again.stack(0)).isEqualTo(offCpu.stack(0));
    }
}
