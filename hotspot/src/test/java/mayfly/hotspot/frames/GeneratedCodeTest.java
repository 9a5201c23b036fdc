package mayfly.hotspot.frames;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.code.ForgedNmethod;
import mayfly.hotspot.tables.VmField;
import org.junit.jupiter.api.Test;

/** Queries on generated code that cannot be read. */
class GeneratedCodeTest {
    private static ForgedVm.Blob damaged(ForgedVm vm) {
        ForgedVm.Blob blob = vm.nmethod(new ForgedNmethod(vm.method("a/A", "run", "()V", 8)));
        vm.memory.putInt(blob.address() + vm.at(VmField.BLOB_SIZE), -1);
        return blob;
    }

    @Test
    void anAddressInADamagedBlobIsNoReturnAddressAndIsCounted() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            long pc = damaged(vm).codeBegin() + 8;
            GeneratedCode code = vm.open().code();
            assertThat(code.isReturnAddress(pc, 0)).isFalse();
            assertThat(code.counters().unreadable()).isEqualTo(1);
        }
    }

    @Test
    void aDamagedBlobIsNotFoundAndIsCounted() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            long pc = damaged(vm).codeBegin() + 8;
            GeneratedCode code = vm.open().code();
            assertThat(code.blobOrNull(pc, 0)).isNull();
            assertThat(code.counters().unreadable()).isEqualTo(1);
        }
    }

    @Test
    void aFreeAddressIsNotCounted() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            GeneratedCode code = vm.open().code();
            assertThat(code.blobOrNull(vm.nextBlock(), 0)).isNull();
            assertThat(code.isReturnAddress(0x1000, 0)).isFalse();
            assertThat(code.counters().unreadable()).isZero();
        }
    }
}
