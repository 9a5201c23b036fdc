package mayfly.record.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import mayfly.discovery.Check;
import mayfly.discovery.Doctor;
import mayfly.discovery.Doctor.Need;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.profile.Ledger;
import mayfly.profile.Measure;
import mayfly.profile.SampledEvent;
import mayfly.profile.Unit;
import mayfly.record.event.SourceCost.StackCopy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The table of events, and the choice among the sources of one. Uses this process as the target. */
class RecordingEventTest {
    private static final SourceCost COST =
            new SourceCost(0, SourceCost.ANY_RATE, List.of(new StackCopy(SourceCost.ANY_RATE, 0)));

    /** A source without samples. */
    private record Silent() implements EventSource {
        @Override
        public void enable() {
            // it has no samples
        }

        @Override
        public boolean await(int timeoutMillis) {
            return true;
        }

        @Override
        public void drain(SampleSink sink) {
            // it has no samples
        }

        @Override
        public void disable() {
            // it has no samples
        }

        @Override
        public long lost() {
            return 0;
        }

        @Override
        public String description() {
            return "silent";
        }

        @Override
        public void account(Ledger.Builder ledger) {
            // it has no samples
        }

        @Override
        public void close() {
            // nothing is open
        }
    }

    private static SourceKind kind(Collector collector, SourceKind.Opener opener) {
        return new SourceKind(collector, Set.of(), COST, List.of("limit of " + collector), opener);
    }

    private static SourceKind refused(Collector collector, Reason reason) {
        return kind(collector, (request, kind) -> {
            throw new Refused(reason, "refused", "");
        });
    }

    private static RecordingEvent event(SourceKind... kinds) {
        return new RecordingEvent(
                "stub",
                "stubs",
                "of tests",
                Unit.COUNT,
                List.of(Measure.COUNT),
                false,
                RecordingEvent.Sum.NONE,
                List.of(kinds));
    }

    private static ChosenSource open(Collector collector, SourceKind... kinds) throws Refused {
        try (InspectedProcess own =
                InspectedProcess.open((int) ProcessHandle.current().pid())) {
            return ChosenSource.open(event(kinds), collector, new SourceRequest(own, 99, false, false, 1_000_000));
        }
    }

    private static @Nullable ChosenSource openWithoutStops(SourceKind... kinds) throws Refused {
        try (InspectedProcess own =
                InspectedProcess.open((int) ProcessHandle.current().pid())) {
            return ChosenSource.openWithoutStops(
                    event(kinds), Collector.AUTO, new SourceRequest(own, 99, false, false, 1_000_000));
        }
    }

    @Test
    void idsOfTheTableAreDistinctWords() {
        assertThat(RecordingEvent.ALL)
                .extracting(RecordingEvent::id)
                .doesNotHaveDuplicates()
                .allMatch(id -> id.matches("[a-z]+(-[a-z]+)*"));
    }

    @Test
    void everySourceOfTheTableNamesItsNeeds() {
        assertThat(RecordingEvent.ALL.stream().flatMap(event -> event.kinds().stream()))
                .allSatisfy(kind -> assertThat(kind.needs()).isNotEmpty());
    }

    @Test
    void everyNeedIsCheckedByDoctor() throws Exception {
        assertThat(Doctor.checks(null))
                .extracting(Check::name)
                .containsAll(Arrays.stream(Need.values()).map(Need::check).toList());
    }

    @Test
    void onlyPtraceStopsThreads() {
        assertThat(RecordingEvent.ALL.stream().flatMap(event -> event.kinds().stream()))
                .filteredOn(kind -> kind.cost().stops())
                .extracting(SourceKind::collector)
                .containsOnly(Collector.PTRACE);
    }

    @Test
    void capturedEventHasTheUnitAndMeasuresOfTheRow() {
        assertThat(RecordingEvent.CPU.sampled(99)).isEqualTo(new SampledEvent("cpu", Unit.NANOSECONDS, 99));
        assertThat(event(kind(Collector.PTRACE, (request, kind) -> new Silent()))
                        .sampled(99))
                .as("without a rate")
                .isEqualTo(new SampledEvent("stub", Unit.COUNT, 0, 0, List.of(Measure.COUNT)));
    }

    @Test
    void cpuTimeTriesSystemWideThenPerThreadThenPtrace() {
        assertThat(RecordingEvent.CPU.kinds(Collector.AUTO))
                .extracting(SourceKind::collector)
                .containsExactly(Collector.SYSTEM_WIDE, Collector.PER_THREAD, Collector.PTRACE);
        assertThat(RecordingEvent.WALL.kinds(Collector.PER_THREAD)).isEmpty();
    }

    @Test
    void copiedStackShrinksAsTheRateGrows() {
        assertThat(PerfSource.SYSTEM_WIDE.cost().stackBytes(250)).isEqualTo(62 << 10);
        assertThat(PerfSource.SYSTEM_WIDE.cost().stackBytes(251)).isEqualTo(32 << 10);
        assertThat(PerfSource.SYSTEM_WIDE.cost().stackBytes(1_000_000)).isEqualTo(16 << 10);
        assertThat(PtraceSource.BUSY_THREADS.cost().rate(999)).isEqualTo(99);
        assertThat(PtraceSource.BUSY_THREADS.cost().stackBytes(999))
                .as("at its own rate")
                .isEqualTo(1 << 20);
        assertThatThrownBy(() -> new SourceCost(0, 100, List.of(new StackCopy(99, 8))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusedSourceIsNotedAndTheNextOneOpened() throws Exception {
        ChosenSource chosen = open(
                Collector.AUTO,
                refused(Collector.SYSTEM_WIDE, Reason.NOT_PERMITTED),
                kind(Collector.PER_THREAD, (request, kind) -> {
                    throw new IOException("no settings");
                }),
                kind(Collector.PTRACE, (request, kind) -> new Silent()));
        assertThat(chosen.source()).isInstanceOf(Silent.class);
        assertThat(chosen.notes())
                .containsExactly(
                        "system-wide sampling is not possible here: refused",
                        "per-thread sampling is not possible here: no settings",
                        "limit of ptrace");
    }

    @Test
    void sourceThatStopsThreadsIsNotOpenedForATargetThatIsNotKnownYet() throws Exception {
        SourceKind stops = new SourceKind(
                Collector.PTRACE,
                Set.of(),
                new SourceCost(45, 99, List.of(new StackCopy(99, 8))),
                List.of(),
                (request, kind) -> new Silent());
        SourceKind works = kind(Collector.PER_THREAD, (request, kind) -> new Silent());
        assertThat(openWithoutStops(stops, works))
                .as("in the order of the event")
                .isNull();
        assertThat(openWithoutStops(works, stops)).isNotNull();
        assertThat(openWithoutStops(refused(Collector.PER_THREAD, Reason.NOT_PERMITTED), stops))
                .isNull();
    }

    @Test
    void onlyTheRequestedSourceIsTried() {
        assertThatThrownBy(() -> open(
                        Collector.SYSTEM_WIDE,
                        refused(Collector.SYSTEM_WIDE, Reason.NOT_PERMITTED),
                        kind(Collector.PTRACE, (request, kind) -> new Silent())))
                .isInstanceOfSatisfying(
                        Refused.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_PERMITTED));
    }

    @Test
    void rateThatIsTooHighEndsTheChoice() {
        assertThatThrownBy(() -> open(
                        Collector.AUTO,
                        refused(Collector.SYSTEM_WIDE, Reason.RATE_TOO_HIGH),
                        kind(Collector.PTRACE, (request, kind) -> new Silent())))
                .isInstanceOfSatisfying(
                        Refused.class, e -> assertThat(e.reason()).isEqualTo(Reason.RATE_TOO_HIGH));
    }

    @Test
    void eventWithoutSourceOrWithTwoForOneCollectorIsRefused() {
        assertThatThrownBy(RecordingEventTest::event).isInstanceOf(IllegalArgumentException.class);
        SourceKind kind = kind(Collector.PTRACE, (request, row) -> new Silent());
        assertThatThrownBy(() -> event(kind, kind)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> kind(Collector.AUTO, (request, row) -> new Silent()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
