package mayfly.record.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import mayfly.profile.Ledger;
import org.junit.jupiter.api.Test;

/** The sources of several events, read in turn. */
class EventSourcesTest {
    private final List<String> calls = new ArrayList<>();

    /** A source that notes its calls, and whose target ends after a number of waits. */
    private final class Scripted implements EventSource {
        private final String name;
        private final int interval;
        private int waits;
        private int dueAfter = Integer.MAX_VALUE;
        private int endsAfter = Integer.MAX_VALUE;
        private long holds;
        private boolean replaced;
        private boolean room;

        Scripted(String name, int interval) {
            this.name = name;
            this.interval = interval;
        }

        @Override
        public void enable() {
            calls.add(name + " enable");
        }

        @Override
        public boolean await(int timeoutMillis) {
            calls.add(name + " await " + timeoutMillis);
            waits++;
            return waits < endsAfter;
        }

        @Override
        public int intervalMillis() {
            return interval;
        }

        @Override
        public boolean isDue() {
            return waits >= dueAfter;
        }

        @Override
        public long holdsNanos() {
            return holds;
        }

        @Override
        public boolean hasRoom() {
            return room;
        }

        @Override
        public void begin() {
            calls.add(name + " begin");
        }

        @Override
        public void discard() {
            calls.add(name + " discard");
        }

        @Override
        public boolean isReplaced() {
            return replaced;
        }

        @Override
        public void drain(SampleSink sink) {
            calls.add(name + " drain");
        }

        @Override
        public void disable() {
            calls.add(name + " disable");
        }

        @Override
        public long lost() {
            return 2;
        }

        @Override
        public String description() {
            return "by " + name;
        }

        @Override
        public boolean seesKernel() {
            return true;
        }

        @Override
        public void account(Ledger.Builder ledger) {
            ledger.addLost(lost());
        }

        @Override
        public void close() {
            calls.add(name + " close");
        }
    }

    private final Scripted perf = new Scripted("perf", Integer.MAX_VALUE);
    private final Scripted waits = new Scripted("waits", 2);
    private final Scripted looks = new Scripted("looks", 1);

    private static ChosenSource chosen(RecordingEvent event, EventSource source) {
        return new ChosenSource(event, source, List.of());
    }

    private EventSources three() {
        return new EventSources(List.of(
                chosen(RecordingEvent.CPU, perf),
                chosen(RecordingEvent.OFF_CPU, waits),
                chosen(RecordingEvent.SAFEPOINT, looks)));
    }

    @Test
    void sourceWithTheShortestIntervalIsAwaitedAndTheOthersDoWhatIsDue() {
        perf.dueAfter = 2;
        assertThat(three().await(60_000)).isTrue();
        assertThat(calls)
                .containsExactly(
                        "looks await 1",
                        "perf await 0",
                        "waits await 0",
                        "looks await 1",
                        "perf await 0",
                        "waits await 0");
    }

    @Test
    void waitEndsAtItsTimeout() {
        assertThat(three().await(0)).isTrue();
        assertThat(calls).containsExactly("looks await 0", "perf await 0", "waits await 0");
    }

    @Test
    void shortWaitIsNotRepeatedWithoutTime() {
        three().await(1);
        assertThat(calls).doesNotContain("looks await 0").contains("looks await 1");
    }

    @Test
    void lastWaitGoesOnWhileSamplesAreDue() {
        perf.dueAfter = 0;
        looks.endsAfter = 5;
        three().attendFor(60_000);
        assertThat(calls).filteredOn("looks await 1"::equals).hasSize(5);
    }

    @Test
    void samplesMayWaitOnlyIfThoseOfEachEventMay() {
        perf.room = true;
        waits.room = true;
        assertThat(three().hasRoom()).isFalse();
        looks.room = true;
        assertThat(three().hasRoom()).isTrue();
    }

    @Test
    void eachSourceIsMarkedAndDiscarded() {
        three().begin();
        three().discard();
        assertThat(calls)
                .containsExactly(
                        "perf begin", "waits begin", "looks begin", "perf discard", "waits discard", "looks discard");
    }

    @Test
    void waitEndsIfAnySourceFindsThatTheTargetHasEnded() {
        waits.endsAfter = 1;
        assertThat(three().await(200)).isFalse();
        assertThat(calls).hasSize(3);
    }

    @Test
    void singleSourceIsAwaitedForTheWholeTime() {
        assertThat(new EventSources(List.of(chosen(RecordingEvent.OFF_CPU, waits))).await(200))
                .isTrue();
        assertThat(calls).containsExactly("waits await 200");
    }

    @Test
    void samplesCanWaitOnlyAsLongAsThoseOfEachEvent() {
        perf.holds = 500;
        waits.holds = 300;
        assertThat(three().holdsNanos()).isZero();
        looks.holds = 400;
        assertThat(three().holdsNanos()).isEqualTo(300);
    }

    @Test
    void targetIsReplacedIfOneSourceHasSeenIt() {
        assertThat(three().isReplaced()).isFalse();
        looks.replaced = true;
        assertThat(three().isReplaced()).isTrue();
    }

    @Test
    void descriptionNamesTheEventsIfThereAreSeveral() {
        assertThat(three().description()).isEqualTo("cpu: by perf; off-cpu: by waits; safepoint: by looks");
        assertThat(new EventSources(List.of(chosen(RecordingEvent.CPU, perf))).description())
                .isEqualTo("by perf");
        assertThat(three().lost()).isEqualTo(6);
    }

    @Test
    void kernelIsSeenOnlyByTheSourceOfCpuTime() {
        assertThat(three().seesKernel()).isTrue();
        assertThat(new EventSources(List.of(chosen(RecordingEvent.OFF_CPU, waits))).seesKernel())
                .isFalse();
    }

    @Test
    void eachSourceIsDrainedInTheOrderOfTheEvents() throws IOException {
        SampleSink none = (SampleSink) Proxy.newProxyInstance(
                SampleSink.class.getClassLoader(), new Class<?>[] {SampleSink.class}, (proxy, method, values) -> null);
        try (EventSources sources = three()) {
            sources.enable();
            sources.drain(List.of(none, none, none));
            sources.disable();
            sources.drain(List.of(none, none, none));
        }
        assertThat(calls)
                .containsExactly(
                        "perf enable",
                        "waits enable",
                        "looks enable",
                        "perf drain",
                        "waits await 0",
                        "looks await 0",
                        "waits drain",
                        "perf await 0",
                        "looks await 0",
                        "looks drain",
                        "perf disable",
                        "waits disable",
                        "looks disable",
                        "perf drain",
                        "waits drain",
                        "looks drain",
                        "looks close",
                        "waits close",
                        "perf close");
    }

    @Test
    void recordingWithoutASourceIsRefused() {
        assertThatThrownBy(() -> new EventSources(List.of())).isInstanceOf(NoSuchElementException.class);
    }
}
