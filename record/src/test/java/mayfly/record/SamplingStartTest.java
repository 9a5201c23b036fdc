package mayfly.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import mayfly.record.event.ChosenSource;
import mayfly.record.event.EventSources;
import mayfly.record.event.RecordingEvent;
import org.junit.jupiter.api.Test;

class SamplingStartTest {
    private static final long MS = ScriptedRecording.MS;
    private static final long START = ScriptedRecording.START;
    private final ScriptedRecording source;

    SamplingStartTest() throws Exception {
        source = new ScriptedRecording(ScriptedTarget.with(new ScriptedRuntime(1)), Duration.ZERO);
    }

    private SamplingStart now() {
        var sources = new EventSources(List.of(new ChosenSource(RecordingEvent.CPU, source, List.of())));
        return SamplingStart.now(sources, new CpuAccount(() -> -1), source);
    }

    @Test
    void sourceWhoseSamplesCanWaitIsEnabledAtOnce() {
        source.holdsNanos = 250 * MS;
        SamplingStart start = now();
        assertThat(start.isEarly()).isTrue();
        assertThat(start.nanos()).isEqualTo(START);
        assertThat(source.calls).containsExactly("enable");
    }

    @Test
    void sourceThatHoldsFewerSamplesIsLeftToTheSession() {
        source.holdsNanos = 249 * MS;
        SamplingStart start = now();
        assertThat(start.isEarly()).isFalse();
        assertThat(start.isOverdue(Long.MAX_VALUE)).isFalse();
        assertThat(source.calls).isEmpty();
    }

    @Test
    void sourceThatCannotBeEnabledIsLeftToTheSessionWhichReportsTheReason() {
        source.holdsNanos = 250 * MS;
        source.failsToEnable = new IOException("no perf events");
        assertThat(now().isEarly()).isFalse();
    }

    @Test
    void startIsOverdueAfterHalfOfTheTimeThatSamplesCanWait() {
        source.holdsNanos = 300 * MS;
        SamplingStart start = now();
        assertThat(start.isOverdue(START + 150 * MS)).isFalse();
        assertThat(start.isOverdue(START + 151 * MS)).isTrue();
    }
}
