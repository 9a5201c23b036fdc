package mayfly.hotspot.counters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.tables.VmField;
import mayfly.process.MemoryFault;
import mayfly.runtime.collection.Collection;
import mayfly.runtime.collection.Collection.Kind;
import mayfly.runtime.collection.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The counters of collectors in VMs laid out by the test. */
class PauseCountersTest {
    private static final String YOUNG = "G1 young collection pauses";
    private static final String FULL = "G1 full collection pauses";
    private static final String CYCLE = "G1 concurrent cycle pauses";
    private static final String SAFEPOINTS = "_ZN20SafepointSynchronize18_safepoint_counterE";
    private static final long START = 1_000_000;

    private final ForgedVm vm = ForgedVm.jdk25();
    private final ForgedCounters counters = new ForgedCounters(vm);
    private final Counted young = new Counted();
    private final Counted full = new Counted();
    private long cause;
    private long lastCause;

    /** The addresses of a collector's numbers. */
    private final class Counted {
        private long invocations;
        private long entry;
        private long exit;

        void add(int ordinal, String name) {
            String prefix = "sun.gc.collector." + ordinal + ".";
            counters.text(prefix + "name", name);
            invocations = counters.number(prefix + "invocations", 0);
            counters.number(prefix + "time", 0);
            entry = counters.number(prefix + "lastEntryTime", 0);
            exit = counters.number(prefix + "lastExitTime", 0);
        }

        void set(long number, long begun, long ended) {
            vm.memory.putLong(invocations, number);
            vm.memory.putLong(entry, begun);
            vm.memory.putLong(exit, ended);
        }
    }

    private Collections g1() throws Exception {
        vm.variable(SAFEPOINTS, 0);
        cause = counters.cause("sun.gc.cause", "No GC");
        lastCause = counters.cause("sun.gc.lastCause", "No GC");
        young.add(0, YOUNG);
        full.add(1, FULL);
        return collections();
    }

    private Collections collections() throws Exception {
        return PauseCounters.of(vm.memory, vm, vm.layout()).orElseThrow();
    }

    private static List<Collection> latest(Collections collections) throws MemoryFault {
        return collections.latest().orElseThrow();
    }

    private void setSafepoints(long number) {
        vm.memory.putLong(vm.address(SAFEPOINTS), number);
    }

    private void causes(String present, String last) {
        counters.set(cause, present);
        counters.set(lastCause, last);
    }

    @Test
    void vmWithoutPauseSoFarHasNone() throws Exception {
        assertThat(latest(g1()))
                .containsExactly(
                        new Collection(YOUNG, Kind.YOUNG, 0, 0, 0, 0, Collection.UNKNOWN),
                        new Collection(FULL, Kind.FULL, 0, 0, 0, 0, Collection.UNKNOWN))
                .noneMatch(Collection::isInProgress);
    }

    @Test
    void pauseHasItsTimesAndItsCause() throws Exception {
        Collections collections = g1();
        causes("System.gc()", "No GC");
        young.set(1, 500, 600);
        full.set(3, 700, 400);
        List<Collection> running = latest(collections);
        assertThat(running.get(0)).isEqualTo(new Collection(YOUNG, Kind.YOUNG, 1, 0, 500, 600, Collection.UNKNOWN));
        assertThat(running.get(1)).isEqualTo(new Collection(FULL, Kind.FULL, 3, 0, 700, 0, "System.gc()"));
        assertThat(running.get(1).isInProgress()).isTrue();
        causes("No GC", "System.gc()");
        full.set(3, 700, 900);
        assertThat(latest(collections).get(1))
                .isEqualTo(new Collection(FULL, Kind.FULL, 3, 0, 700, 900, "System.gc()"));
    }

    @Test
    void readingDuringWhichACounterChangesIsRepeated() throws Exception {
        Collections collections = g1();
        young.set(1, 500, 600);
        vm.memory.onRead(young.entry, times -> young.set(2, 700, times == 1 ? 600 : 800));
        assertThat(latest(collections).getFirst().ended())
                .as("the second reading")
                .isEqualTo(800);
        vm.memory.onRead(young.entry, times -> young.set(2 + times, 700 + times, 600));
        assertThat(collections.latest()).as("changes in each reading").isEmpty();
    }

    @Test
    void pausesThatHaveEndedSinceTheLastReadingInOneSafepointHaveTheCauseOfIts() throws Exception {
        Collections collections = g1();
        latest(collections);
        setSafepoints(1);
        young.set(1, 500, 600);
        full.set(1, 700, 0);
        causes("G1 Humongous Allocation", "No GC");
        assertThat(latest(collections))
                .extracting(Collection::cause)
                .containsExactly("G1 Humongous Allocation", "G1 Humongous Allocation");
        setSafepoints(5);
        young.set(2, 900, 1000);
        full.set(2, 1100, 1000);
        causes("System.gc()", "No GC");
        assertThat(latest(collections))
                .extracting(Collection::cause)
                .containsExactly(Collection.UNKNOWN, "System.gc()");
    }

    @Test
    void pauseOfAConcurrentCycleHasNoCause() throws Exception {
        cause = counters.cause("sun.gc.cause", "No GC");
        lastCause = counters.cause("sun.gc.lastCause", "G1 Evacuation Pause");
        young.add(0, YOUNG);
        full.add(2, CYCLE);
        Collections collections = collections();
        young.set(1, 500, 600);
        full.set(1, 700, 800);
        assertThat(latest(collections))
                .extracting(Collection::kind, Collection::cause)
                .containsExactly(tuple(Kind.YOUNG, "G1 Evacuation Pause"), tuple(Kind.CONCURRENT, ""));
    }

    @ParameterizedTest
    @CsvSource({"Warmup, No GC, Warmup", "No GC, Proactive, Proactive"})
    void pauseOfZgcHasTheCauseOfItsCycle(String present, String last, String expected) throws Exception {
        cause = counters.cause("sun.gc.cause", present);
        lastCause = counters.cause("sun.gc.lastCause", last);
        young.add(0, "ZGC minor collection pauses");
        Collections collections = collections();
        young.set(7, 500, 600);
        assertThat(latest(collections))
                .containsExactly(new Collection("ZGC minor collection pauses", Kind.MINOR, 7, 0, 500, 600, expected));
    }

    @Test
    void collectorWithoutNameOrCausesIsNumbered() throws Exception {
        counters.number("sun.gc.collector.1.invocations", 2);
        counters.number("sun.gc.collector.1.time", 15);
        counters.number("sun.gc.collector.1.lastEntryTime", 30);
        counters.number("sun.gc.collector.1.lastExitTime", 40);
        assertThat(latest(collections()))
                .containsExactly(new Collection("collector 1", Kind.OTHER, 2, 15, 30, 40, Collection.UNKNOWN));
    }

    @Test
    void timesThatAreNegativeAreNone() throws Exception {
        Collections collections = g1();
        young.set(1, -5, -4);
        assertThat(latest(collections).getFirst())
                .isEqualTo(new Collection(YOUNG, Kind.YOUNG, 1, 0, 0, 0, Collection.UNKNOWN));
    }

    @Test
    void clockStartsAtTheVmsInitialTime() throws Exception {
        vm.variable("_ZL18initial_time_count", START);
        assertThat(g1().clockStart()).isEqualTo(START);
    }

    @Test
    void startOfTheClockOfAStrippedVmIsDerivedFromNewTimes() throws Exception {
        Collections collections = g1();
        young.set(1, 500, 600);
        latest(collections);
        assertThat(collections.clockStart()).as("the pause may be old").isEqualTo(Long.MAX_VALUE);
        long before = System.nanoTime();
        young.set(2, 1000, 600);
        latest(collections);
        long derived = collections.clockStart();
        assertThat(derived).isBetween(before - 1000, System.nanoTime() - 1000);
        young.set(2, 1000, 1001);
        latest(collections);
        assertThat(collections.clockStart()).as("this reading was later").isEqualTo(derived);
        young.set(3, 60_000_000_000L, 1001);
        latest(collections);
        assertThat(collections.clockStart())
                .as("this one was sooner")
                .isBetween(before - 60_000_000_000L, System.nanoTime() - 60_000_000_000L);
    }

    /** In JDK 11 it has 32 bits, and others share its word. */
    @Test
    void numberOfSafepointsMayBeThePartOfAWord() throws Exception {
        Collections collections;
        vm.variable("word", 0);
        vm.symbols.put(SAFEPOINTS, vm.address("word") + 4);
        cause = counters.cause("sun.gc.cause", "No GC");
        lastCause = counters.cause("sun.gc.lastCause", "No GC");
        young.add(0, YOUNG);
        full.add(1, FULL);
        collections = collections();
        latest(collections);
        vm.memory.putLong(vm.address("word"), 1L << 32 | 77);
        young.set(1, 500, 600);
        causes("System.gc()", "No GC");
        assertThat(latest(collections).getFirst().cause()).isEqualTo("System.gc()");
    }

    @Test
    void executorIsTheVmThread() throws Exception {
        vm.variable("_ZN8VMThread10_vm_threadE", vm.thread);
        assertThat(g1().executor()).isEqualTo(4711);
    }

    @Test
    void strippedVmHasAnUnknownExecutor() throws Exception {
        assertThat(g1().executor()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Shenandoah full", "Shenandoah partial"})
    void collectorThatCountsMoreThanPausesIsLeftOut(String name) throws Exception {
        young.add(0, name);
        assertThat(PauseCounters.of(vm.memory, vm, vm.layout())).isEmpty();
    }

    @Test
    void vmWhoseClockHasAnotherUnitIsNotRead() throws Exception {
        counters.number("sun.os.hrt.frequency", 1000);
        young.add(0, YOUNG);
        assertThat(PauseCounters.of(vm.memory, vm, vm.layout())).isEmpty();
    }

    @Test
    void vmWithoutCountersOfCollectorsHasNoPauses() throws Exception {
        assertThat(PauseCounters.of(vm.memory, vm, vm.layout())).isEmpty();
        vm.memory.putLong(vm.at(VmField.PERF_MEMORY_START), 0);
        assertThat(PauseCounters.of(vm.memory, vm, vm.layout())).isEmpty();
    }
}
