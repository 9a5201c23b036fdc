package mayfly.hotspot.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.tables.VmField;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.AllocationCounters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The counters of allocation in VMs laid out by the test. */
class AllocatedBytesTest {
    private final ForgedVm vm = ForgedVm.jdk25();

    private void set(VmField field, long value) {
        vm.memory.putLong(vm.thread + vm.at(field), value);
    }

    private void setBuffer(long start, long top, long end) {
        long buffer = vm.thread + vm.at(VmField.THREAD_TLAB);
        vm.memory.putLong(buffer + vm.at(VmField.TLAB_START), start);
        vm.memory.putLong(buffer + vm.at(VmField.TLAB_TOP), top);
        vm.memory.putLong(buffer + vm.at(VmField.TLAB_END), end);
    }

    private Map<Integer, Long> read() throws Exception {
        AllocationCounters counters = AllocatedBytes.of(vm.memory, vm.layout()).orElseThrow();
        Map<Integer, Long> read = new TreeMap<>();
        counters.read((tid, thread, bytes) -> read.put(tid, bytes));
        return read;
    }

    private long list(long... threads) {
        long list = vm.heap.allocate(64);
        long array = vm.heap.allocate(8 * threads.length);
        for (int i = 0; i < threads.length; i++) {
            vm.memory.putLong(array + 8L * i, threads[i]);
        }
        vm.memory.putInt(list + vm.at(VmField.THREADS_LENGTH), threads.length);
        vm.memory.putLong(list + vm.at(VmField.THREADS_THREADS), array);
        vm.memory.putLong(vm.at(VmField.JAVA_THREAD_LIST), list);
        return array;
    }

    @Test
    void threadHasTheBytesOfItsFormerBuffersAndTheUsedOnesOfItsBuffer() throws Exception {
        set(VmField.THREAD_ALLOCATED_BYTES, 1_000_000);
        setBuffer(0x1000, 0x1a00, 0x2000);
        assertThat(read()).containsExactly(Map.entry(4711, 1_000_000L + 0xa00));
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "0, 8192, 0", "4096, 0, 8192", "4096, 8192, 0", "0, -8, 0", "-1, 4096, 8192"})
    void bufferThatIsNoneOrIsJustReplacedCountsNothing(long start, long top, long end) throws Exception {
        set(VmField.THREAD_ALLOCATED_BYTES, 77);
        setBuffer(start, top, end);
        assertThat(read().get(4711)).isEqualTo(77);
    }

    @Test
    void threadThatHasEndedMeanwhileIsLeftOut() throws Exception {
        set(VmField.THREAD_ALLOCATED_BYTES, 5);
        setBuffer(0, 0, 0);
        long ended = vm.heap.allocate(vm.groupSize("JavaThread") + 8);
        list(0x10, vm.thread, ended, 0x20);
        assertThat(read()).containsExactly(Map.entry(4711, 5L));
    }

    @Test
    void manyThreadsAreReadInParts() throws Exception {
        set(VmField.THREAD_ALLOCATED_BYTES, 5);
        setBuffer(0, 0, 0);
        long[] threads = new long[1000];
        Arrays.fill(threads, vm.thread);
        threads[300] = 0x10;
        list(threads);
        int[] count = {0};
        AllocatedBytes.of(vm.memory, vm.layout()).orElseThrow().read((tid, thread, bytes) -> count[0]++);
        assertThat(count[0]).isEqualTo(999);
    }

    @Test
    void listThatCannotBeReadFails() throws Exception {
        AllocationCounters counters = AllocatedBytes.of(vm.memory, vm.layout()).orElseThrow();
        vm.memory.putLong(vm.at(VmField.JAVA_THREAD_LIST), 0x10);
        assertThatThrownBy(() -> counters.read((tid, thread, bytes) -> {})).isInstanceOf(MemoryFault.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = VmField.class,
            names = {"THREAD_ALLOCATED_BYTES", "THREAD_TLAB", "TLAB_START", "TLAB_TOP", "TLAB_END"})
    void vmThatDoesNotDescribeAFieldHasNoCounters(VmField field) throws Exception {
        vm.without(field);
        assertThat(AllocatedBytes.of(vm.memory, vm.layout())).isEmpty();
    }
}
