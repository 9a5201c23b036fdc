package mayfly.hotspot.threads;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.arch.x86.X86_64;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.heap.ForgedHeap;
import mayfly.process.Registers;
import mayfly.runtime.thread.AllocationCalls;
import mayfly.runtime.thread.AllocationCalls.Allocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllocTracerCallsTest {
    private static final String IN_TLAB =
            "_ZN11AllocTracer27send_allocation_in_new_tlabEP5KlassPP12HeapWordImplmmP10JavaThread";
    private static final String OUTSIDE =
            "_ZN11AllocTracer28send_allocation_outside_tlabEP5KlassPP12HeapWordImplmP10JavaThread";

    private final ForgedVm vm = ForgedVm.jdk25();
    private final ForgedHeap heap = new ForgedHeap(vm, ForgedHeap.Shape.NARROW);

    private AllocationCalls calls() throws Exception {
        vm.symbols.put(IN_TLAB, 0x7000L);
        vm.symbols.put(OUTSIDE, 0x8000L);
        HotSpot open = vm.open();
        return open.allocationCalls().orElseThrow();
    }

    private static Registers arguments(long klass, long bytes) {
        Registers registers = new Registers(X86_64.ARCHITECTURE);
        registers.set(X86_64.RDI, klass);
        registers.set(X86_64.RSI, 0xdead);
        registers.set(X86_64.RDX, bytes);
        return registers;
    }

    @Test
    void functionsAreFoundByTheirSymbols() throws Exception {
        assertThat(calls().functions()).containsExactly(0x7000L, 0x8000L);
    }

    @Test
    void callsAreNotKnownIfAFunctionHasNoSymbol() throws Exception {
        vm.symbols.put(IN_TLAB, 0x7000L);
        assertThat(vm.open().allocationCalls()).isEmpty();
    }

    @Test
    void allocationHasTheClassAndTheSizeThatTheArgumentsHave() throws Exception {
        long klass = heap.klassOf("org/example/Allocated");
        assertThat(calls().at(arguments(klass, 4096))).isEqualTo(new Allocation("org.example.Allocated", 4096));
    }

    @Test
    void classThatCannotBeReadHasNoName() throws Exception {
        assertThat(calls().at(arguments(0x10, 4096))).isEqualTo(new Allocation("", 4096));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, 1L << 41})
    void sizeThatIsImplausibleIsNotBelieved(long bytes) throws Exception {
        assertThat(calls().at(arguments(0x10, bytes)).bytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "[B, byte[]",
        "[[J, long[][]",
        "[Ljava.lang.String;, java.lang.String[]",
        "java.lang.String, java.lang.String",
        "[?, [?",
        "[, [",
    })
    void arrayIsNamedAsInSourceCode(String name, String expected) {
        assertThat(TypeNames.inSource(name)).isEqualTo(expected);
    }
}
