package mayfly.hotspot.code;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.tables.VmField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NmethodsTest {

    /** JDK 23 and 24: separate tables, and the metadata in the blob at a 16-bit offset from the blob's data. */
    @Test
    void metadataOffsetOfJdk23And24IsReadAs16Bits() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        long method = vm.method("a/B", "run", "()V", 8);
        ForgedVm.Blob blob = vm.nmethod(new ForgedNmethod(method).instructions(new byte[64]));
        // The offset replaces an int that was -1, so the bits above it are set.
        long field = vm.at(VmField.NMETHOD_DEOPT_MH_HANDLER_OFFSET);
        vm.without(VmField.NMETHOD_DEOPT_MH_HANDLER_OFFSET)
                .without(VmField.BLOB_MUTABLE_DATA)
                .without(VmField.BLOB_MUTABLE_DATA_SIZE)
                .without(VmField.BLOB_RELOCATION_SIZE);
        vm.locations.put(VmField.NMETHOD_METADATA_OFFSET, field);
        vm.memory.putShort(blob.address() + field, 8);
        int data = (int) (blob.end() - blob.address()) - 24;
        vm.memory.putInt(blob.address() + vm.at(VmField.BLOB_DATA_OFFSET), data);
        vm.memory.putLong(blob.address() + data + 8, method);
        Nmethod nmethod = (Nmethod) vm.cache().find(blob.codeBegin(), 0);
        assertThat(nmethod.tables.metadata()).isEqualTo(blob.address() + data + 8);
        assertThat(nmethod.tables.metadataLength()).isEqualTo(16);
        assertThat(vm.memory.readLong(nmethod.tables.metadata())).isEqualTo(method);
    }

    @ParameterizedTest
    @CsvSource({
        "LJI, 0, ADAPTER",
        "IJFDL, 0, ADAPTER",
        "L, 3, ADAPTER",
        "LJX, 0, STUBS",
        "LJX, 3, RUNTIME_STUB",
        "lji, 0, STUBS",
        "I2C/C2I adapters, 0, ADAPTER",
        "Shared Runtime Adapters, 0, ADAPTER",
        "'StubRoutines (final stubs)', 0, STUBS",
        "native nmethod, 2, NATIVE_NMETHOD",
        "nmethod, 2, NMETHOD"
    })
    void aotAdaptersAreRecognizedByTheirSignature(String name, int frameSize, CodeBlob.Kind kind) {
        assertThat(CodeBlob.Kind.of(name, frameSize)).isEqualTo(kind);
    }
}
