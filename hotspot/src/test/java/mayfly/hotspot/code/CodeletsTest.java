package mayfly.hotspot.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import org.junit.jupiter.api.Test;

class CodeletsTest {

    @Test
    void codeletIsFoundByAnyOfItsAddresses() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Codelets codelets = Codelets.read(vm.memory, vm.layout());
            assertThat(codelets.count()).isEqualTo(110);
            assertThat(codelets.isComplete()).isTrue();
            long first = vm.codelet(0);
            assertThat(codelets.at(first - 1)).as("a header is not code").isNull();
            assertThat(codelets.at(first).kind()).isEqualTo(Codelets.Kind.METHOD_ENTRY);
            assertThat(codelets.at(first + 39)).isSameAs(codelets.at(first));
            assertThat(codelets.at(first + 40)).as("the next one's header").isNull();
            assertThat(codelets.at(vm.codelet(2)).kind()).isEqualTo(Codelets.Kind.OTHER);
            assertThat(codelets.at(vm.codelet(5)).kind()).isEqualTo(Codelets.Kind.BYTECODE);
            assertThat(codelets.at(vm.codelet(109) + 39).description()).isEqualTo("op109");
            assertThat(codelets.at(vm.codelet(109) + 40)).isNull();
            assertThat(codelets.at(0)).isNull();
            assertThat(codelets.at(-1)).isNull();
        }
    }

    @Test
    void implausibleStubQueuesAreRefused() throws Exception {
        int[][] absurd = {{-8, 64, 64}, {64, 0, 64}, {0, 128, 64}, {0, Integer.MAX_VALUE, Integer.MAX_VALUE}};
        for (int[] queue : absurd) {
            ForgedVm vm = ForgedVm.jdk25();
            vm.memory.putInt(vm.stubQueue + vm.at(VmField.STUB_QUEUE_BEGIN), queue[0]);
            vm.memory.putInt(vm.stubQueue + vm.at(VmField.STUB_QUEUE_END), queue[1]);
            vm.memory.putInt(vm.stubQueue + vm.at(VmField.STUB_QUEUE_LIMIT), queue[2]);
            assertBad(vm, "the interpreter's StubQueue from " + queue[0]);
        }
        ForgedVm none = ForgedVm.jdk25();
        none.memory.putLong(none.at(VmField.INTERPRETER_CODE), 0);
        assertBad(none, "AbstractInterpreter._code is null");
    }

    @Test
    void codeletOfImplausibleSizeIsRefused() throws Exception {
        for (int size : new int[] {0, -8, 8, 65, 1 << 20}) {
            ForgedVm vm = ForgedVm.jdk17();
            vm.memory.putInt(vm.codelet(7) - vm.groupSize("InterpreterCodelet") + vm.at(VmField.CODELET_SIZE), size);
            assertBad(vm, "InterpreterCodelet of " + size + " bytes");
        }
    }

    @Test
    void longCodeletDescriptionIsTruncated() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        long header = vm.codelet(1) - vm.groupSize("InterpreterCodelet");
        vm.memory.putLong(header + vm.at(VmField.CODELET_DESCRIPTION), 0);
        vm.memory.putLong(
                vm.codelet(2) - vm.groupSize("InterpreterCodelet") + vm.at(VmField.CODELET_DESCRIPTION),
                vm.memory.string(vm.library, "x".repeat(1000)));
        Codelets codelets = Codelets.read(vm.memory, vm.layout());
        assertThat(codelets.at(vm.codelet(1)).description()).isEmpty();
        assertThat(codelets.at(vm.codelet(2)).description()).hasSize(128);
    }

    private static void assertBad(ForgedVm vm, String message) throws Exception {
        VmLayout layout = vm.layout();
        assertThatThrownBy(() -> Codelets.read(vm.memory, layout))
                .isInstanceOf(BadMetadata.class)
                .hasMessageContaining(message);
    }
}
