package mayfly.hotspot.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.heap.ForgedHeap.Shape;
import mayfly.process.MemoryFault;
import org.junit.jupiter.api.Test;

class JavaHeapTest {
    private final ForgedVm vm = ForgedVm.jdk25();

    private JavaHeap heap(Shape shape) throws Exception {
        ForgedHeap forged = new ForgedHeap(vm, shape);
        return new JavaHeap(forged.memory, vm.layout(), List.of(13, 14, 15, 16));
    }

    private long word(long value) {
        long address = vm.heap.allocate(8);
        vm.memory.putLong(address, value);
        return address;
    }

    @Test
    void wordOfUnknownFormRefersToTheObjectsOfItsPossibleForms() throws Exception {
        JavaHeap heap = heap(Shape.NARROW);
        long object = ForgedHeap.HEAP + 64;
        assertThat(heap.possible(word(object))).containsExactly(object);
        assertThat(heap.possible(word(object >>> 3))).contains(object);
        assertThat(heap.possible(word(0))).isEmpty();
        assertThat(heap.possible(word(object + 1))).as("no reference").isEmpty();
    }

    @Test
    void wordThatCannotBeReadIsAFault() throws Exception {
        JavaHeap heap = heap(Shape.WIDE);
        assertThat(heap.possible(word(ForgedHeap.HEAP))).containsExactly(ForgedHeap.HEAP);
        assertThatThrownBy(() -> heap.possible(0x1234)).isInstanceOf(MemoryFault.class);
    }
}
