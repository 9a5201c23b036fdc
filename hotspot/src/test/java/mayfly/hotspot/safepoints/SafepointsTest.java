package mayfly.hotspot.safepoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.NoSuchElementException;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.tables.VmField;
import mayfly.process.MemoryFault;
import mayfly.runtime.suspension.Suspension;
import mayfly.runtime.suspension.Suspension.Phase;
import mayfly.runtime.suspension.Suspensions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The record of safepoints in VMs laid out by the test. */
class SafepointsTest {
    private static final String COUNT = "_ZN20SafepointSynchronize18_safepoint_counterE";
    private static final String BEGUN = "_ZN16SafepointTracing29_last_safepoint_begin_time_nsE";
    private static final String REACHED = "_ZN16SafepointTracing28_last_safepoint_sync_time_nsE";
    private static final String ENDED = "_ZN16SafepointTracing27_last_safepoint_end_time_nsE";
    private static final String TYPE = "_ZN16SafepointTracing13_current_typeE";
    private static final String NAMES = "_ZN12VM_Operation6_namesE";
    private static final String VM_THREAD = "_ZN8VMThread10_vm_threadE";
    /** The variables of JDK 11. */
    private static final String TIMER = "_ZN14RuntimeService16_safepoint_timerE";

    private static final String APP_TIMER = "_ZN14RuntimeService10_app_timerE";
    private static final String SUM = "_ZN14RuntimeService16_sync_time_ticksE";
    private static final String START = "_ZL18initial_time_count";
    private static final long EPOCH = 1_000_000;

    private final ForgedVm vm = ForgedVm.jdk25();

    private void define(String... names) {
        for (String name : names) {
            vm.symbols.put(name, vm.library.allocate(8));
        }
    }

    private void set(Map<String, Long> values) {
        values.forEach((name, value) -> vm.memory.putLong(vm.symbols.get(name), value));
    }

    private Suspensions traced() throws Exception {
        define(COUNT, BEGUN, REACHED, ENDED, TYPE, VM_THREAD);
        vm.symbols.put(NAMES, vm.library.allocate(24));
        vm.memory.putLong(vm.symbols.get(NAMES) + 16, vm.memory.string(vm.library, "ThreadDump"));
        set(Map.of(TYPE, 2L));
        return Safepoints.of(vm.memory, vm, vm.layout()).orElseThrow();
    }

    private static Suspension latest(Suspensions safepoints) throws MemoryFault {
        return safepoints.latest().orElseThrow();
    }

    @Test
    void vmWithoutSafepointSoFarHasNone() throws Exception {
        assertThat(latest(traced())).isEqualTo(Suspension.NONE);
    }

    @Test
    void safepointHasTheTimesAndTheNumberOfEachPhase() throws Exception {
        Suspensions safepoints = traced();
        set(Map.of(COUNT, 6L, BEGUN, 100L, REACHED, 110L, ENDED, 150L));
        assertThat(latest(safepoints)).isEqualTo(new Suspension(3, Phase.ENDED, "ThreadDump", 100, 110, 150));
        set(Map.of(BEGUN, 200L, REACHED, 0L, ENDED, 0L));
        assertThat(latest(safepoints))
                .as("no thread is asked to stop yet")
                .isEqualTo(new Suspension(4, Phase.REQUESTED, "ThreadDump", 200, 0, 0));
        set(Map.of(COUNT, 7L));
        assertThat(latest(safepoints)).isEqualTo(new Suspension(4, Phase.REACHING, "ThreadDump", 200, 0, 0));
        set(Map.of(REACHED, 230L));
        assertThat(latest(safepoints)).isEqualTo(new Suspension(4, Phase.REACHED, "ThreadDump", 200, 230, 0));
        set(Map.of(COUNT, 8L));
        assertThat(latest(safepoints))
                .as("the end has no time yet")
                .isEqualTo(new Suspension(4, Phase.REACHED, "ThreadDump", 200, 230, 0));
        set(Map.of(ENDED, 250L));
        assertThat(latest(safepoints)).isEqualTo(new Suspension(4, Phase.ENDED, "ThreadDump", 200, 230, 250));
    }

    @Test
    void timesThatTheVmHasNotResetYetAreNotThoseOfTheNewSafepoint() throws Exception {
        Suspensions safepoints = traced();
        set(Map.of(COUNT, 7L, BEGUN, 200L, REACHED, 110L, ENDED, 150L));
        assertThat(latest(safepoints)).isEqualTo(new Suspension(4, Phase.REACHING, "ThreadDump", 200, 0, 0));
    }

    @Test
    void readingDuringWhichTheCountChangesIsRepeated() throws Exception {
        Suspensions safepoints = traced();
        set(Map.of(COUNT, 6L, BEGUN, 100L, REACHED, 110L, ENDED, 150L));
        vm.memory.onRead(vm.symbols.get(COUNT), times -> set(Map.of(COUNT, times == 1 ? 7L : 8L, ENDED, 350L)));
        assertThat(latest(safepoints).number()).isEqualTo(4);
        vm.memory.onRead(vm.symbols.get(COUNT), times -> set(Map.of(COUNT, 8L + times)));
        assertThat(safepoints.latest()).as("changes at each reading").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 256, 0x7fff_ffffL, 1})
    void operationThatIsNoneHasNoName(long type) throws Exception {
        Suspensions safepoints = traced();
        set(Map.of(COUNT, 6L, BEGUN, 100L, REACHED, 110L, ENDED, 150L, TYPE, type));
        assertThat(latest(safepoints).cause()).isEmpty();
    }

    @Test
    void nameOfAnOperationIsBounded() throws Exception {
        Suspensions safepoints = traced();
        vm.memory.putLong(vm.symbols.get(NAMES) + 16, vm.memory.string(vm.library, "x".repeat(1000)));
        set(Map.of(COUNT, 6L, BEGUN, 100L, REACHED, 110L, ENDED, 150L));
        assertThat(latest(safepoints).cause()).hasSize(64);
    }

    @Test
    void strippedVmHasNoRecord() throws Exception {
        define(COUNT, BEGUN, REACHED);
        assertThat(Safepoints.of(vm.memory, vm, vm.layout())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5, 6, 7, 8, 9, 11})
    void threadInJavaOrInTheVmDelaysASafepoint(int state) throws Exception {
        Suspensions safepoints = traced();
        vm.memory.putInt(vm.thread + vm.at(VmField.THREAD_STATE), state);
        assertThat(safepoints.running().orElseThrow()).containsExactly(4711);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 4, 10, 12, -1})
    void threadThatWaitsOrRunsNativeCodeDelaysNone(int state) throws Exception {
        Suspensions safepoints = traced();
        vm.memory.putInt(vm.thread + vm.at(VmField.THREAD_STATE), state);
        assertThat(safepoints.running().orElseThrow()).isEmpty();
    }

    @Test
    void vmThatDoesNotDescribeTheStatesOfThreadsHasUnknownOnes() throws Exception {
        vm.without(VmField.THREAD_STATE);
        assertThat(traced().running()).isEmpty();
    }

    @Test
    void threadThatHasEndedMeanwhileIsLeftOut() throws Exception {
        Suspensions safepoints = traced();
        long list = vm.heap.allocate(16);
        long array = vm.heap.allocate(64);
        vm.memory.putLong(vm.at(VmField.JAVA_THREAD_LIST), list);
        vm.memory.putInt(list + vm.at(VmField.THREADS_LENGTH), 3);
        vm.memory.putLong(list + vm.at(VmField.THREADS_THREADS), array);
        vm.memory.putLong(array, 0x10);
        vm.memory.putLong(array + 8, vm.thread);
        vm.memory.putLong(array + 16, 0x10);
        vm.memory.putInt(vm.thread + vm.at(VmField.THREAD_STATE), 8);
        assertThat(safepoints.running().orElseThrow()).containsExactly(4711);
    }

    @Test
    void suspenderIsTheVmThread() throws Exception {
        Suspensions safepoints = traced();
        assertThat(safepoints.suspender()).as("not started").isZero();
        vm.memory.putLong(vm.symbols.get(VM_THREAD), vm.thread);
        assertThat(safepoints.suspender()).isEqualTo(4711);
    }

    /** A VM of JDK 11 whose counter of times is at {@code value}, in an entry of 32 bytes. */
    private Suspensions ofJdk11(long value, long entry) throws Exception {
        define(COUNT, TIMER, APP_TIMER, SUM, START);
        long counter = vm.heap.allocate(64);
        vm.memory.putLong(counter + 32, entry);
        vm.memory.putLong(counter + 40, value);
        if (entry != 0) {
            vm.memory.putInt(entry, 32);
        }
        set(Map.of(SUM, counter, START, EPOCH));
        return Safepoints.of(vm.memory, vm, vm.layout()).orElseThrow();
    }

    @Test
    void safepointOfJdk11HasTheTimeThatTheSumHasGrownBy() throws Exception {
        long entry = vm.heap.allocate(64);
        Suspensions safepoints = ofJdk11(entry + 24, entry);
        assertThat(latest(safepoints)).isEqualTo(Suspension.NONE);
        vm.memory.putLong(entry + 24, 10);
        set(Map.of(COUNT, 2L, TIMER, 100L, APP_TIMER, 150L));
        assertThat(latest(safepoints))
                .isEqualTo(new Suspension(1, Phase.ENDED, "", EPOCH + 100, EPOCH + 110, EPOCH + 150));
        set(Map.of(TIMER, 200L));
        assertThat(latest(safepoints))
                .as("the count is even until the threads have stopped")
                .isEqualTo(new Suspension(2, Phase.REACHING, "", EPOCH + 200, 0, 0));
        vm.memory.putLong(entry + 24, 40);
        set(Map.of(COUNT, 3L));
        assertThat(latest(safepoints)).isEqualTo(new Suspension(2, Phase.REACHED, "", EPOCH + 200, EPOCH + 230, 0));
        set(Map.of(COUNT, 4L));
        assertThat(latest(safepoints))
                .as("the end has no time yet")
                .isEqualTo(new Suspension(2, Phase.REACHED, "", EPOCH + 200, EPOCH + 230, 0));
        set(Map.of(APP_TIMER, 260L));
        assertThat(latest(safepoints))
                .isEqualTo(new Suspension(2, Phase.ENDED, "", EPOCH + 200, EPOCH + 230, EPOCH + 260));
    }

    /** Each row is a reading before, and one after: the count, the time of the request, that of the end, the sum. */
    @ParameterizedTest
    @CsvSource({
        // the safepoint in between has ended
        "2, 100, 150, 10,   6, 300, 350, 70,   3, ENDED",
        // and the next one waits for threads
        "2, 100, 150, 10,   4, 300, 250, 40,   3, REACHING",
        // the one that was waiting has added its time, and the next one waits
        "2, 200, 150, 10,   4, 300, 250, 40,   3, REACHING",
    })
    void safepointOfJdk11AfterOneThatWasNotSeenHasNoTimeOfItsOwn(
            long count,
            long begun,
            long ended,
            long sum,
            long nextCount,
            long nextBegun,
            long nextEnded,
            long nextSum,
            long number,
            Phase phase)
            throws Exception {
        long entry = vm.heap.allocate(64);
        Suspensions safepoints = ofJdk11(entry + 24, entry);
        vm.memory.putLong(entry + 24, sum);
        set(Map.of(COUNT, count, TIMER, begun, APP_TIMER, ended));
        latest(safepoints);
        vm.memory.putLong(entry + 24, nextSum);
        set(Map.of(COUNT, nextCount, TIMER, nextBegun, APP_TIMER, nextEnded));
        Suspension next = latest(safepoints);
        assertThat(next.number()).isEqualTo(number);
        assertThat(next.phase()).isEqualTo(phase);
        assertThat(next.reached()).isZero();
    }

    @Test
    void jdk11WithoutPlausibleCounterHasNoRecord() {
        long entry = vm.heap.allocate(64);
        assertThatThrownBy(() -> ofJdk11(entry + 32, entry)).isInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(() -> ofJdk11(entry + 21, entry)).isInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(() -> ofJdk11(0, 0)).isInstanceOf(NoSuchElementException.class);
    }
}
