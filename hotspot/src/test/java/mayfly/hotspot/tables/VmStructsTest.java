package mayfly.hotspot.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.tables.UnsupportedVm.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class VmStructsTest {

    @Test
    void fieldsSizesAndConstantsAreRead() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            VmStructs structs = vm.structs();
            assertThat(structs.field("CodeBlob", "_size"))
                    .isEqualTo(new VmStructs.Field(false, vm.at(VmField.BLOB_SIZE)));
            assertThat(structs.field("CodeCache", "_heaps"))
                    .isEqualTo(new VmStructs.Field(true, vm.at(VmField.CODE_CACHE_HEAPS)));
            assertThat(structs.field("CodeBlob", "_nonsense")).isNull();
            assertThat(structs.size("Method")).isEqualTo(vm.sizes.get("Method"));
            assertThat(structs.size("Nonsense")).isEqualTo(-1);
            assertThat(structs.constant("Int::least", 0)).isEqualTo(Integer.MIN_VALUE);
            assertThat(structs.constant("Long::least", 0)).isEqualTo(Long.MIN_VALUE);
            assertThat(structs.constant("Nonsense", 7)).isEqualTo(7);
        }
    }

    @Test
    void libraryWithoutVmStructsIsNotHotSpot() {
        ForgedVm vm = ForgedVm.jdk25();
        vm.writeTables();
        vm.symbols.remove("gHotSpotVMStructs");
        assertRefused(vm, Reason.NOT_HOTSPOT, "gHotSpotVMStructs");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gHotSpotVMStructEntryArrayStride",
                "gHotSpotVMTypes",
                "gHotSpotVMTypeEntrySizeOffset",
                "gHotSpotVMIntConstants",
                "gHotSpotVMLongConstantEntryValueOffset"
            })
    void missingExportIsNamedInTheRefusal(String symbol) {
        ForgedVm vm = ForgedVm.jdk25();
        vm.writeTables();
        vm.symbols.remove(symbol);
        assertRefused(vm, Reason.INCONSISTENT, symbol);
    }

    /** A stride of 0 repeats the same entry. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "gHotSpotVMStructEntryArrayStride",
                "gHotSpotVMTypeEntryArrayStride",
                "gHotSpotVMIntConstantEntryArrayStride",
                "gHotSpotVMLongConstantEntryArrayStride"
            })
    void vmStructsTableWithoutEndIsRefused(String stride) {
        ForgedVm vm = ForgedVm.jdk17();
        vm.setParameter(stride, 0);
        assertRefused(vm, Reason.INCONSISTENT, "has no end within 20000 entries");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 4097, Long.MAX_VALUE, Long.MIN_VALUE})
    void implausibleStridesAndOffsetsAreRefused(long value) {
        for (String symbol : new String[] {
            "gHotSpotVMStructEntryArrayStride", "gHotSpotVMStructEntryOffsetOffset", "gHotSpotVMTypeEntrySizeOffset"
        }) {
            ForgedVm vm = ForgedVm.jdk25();
            vm.setParameter(symbol, value);
            assertRefused(vm, Reason.INCONSISTENT, symbol + " is " + value);
        }
    }

    /** A table that extends beyond its mapping is a fault, not zeros. */
    @Test
    void tableThatRunsIntoUnmappedMemoryIsRefused() {
        ForgedVm vm = ForgedVm.jdk25();
        vm.writeTables();
        ForgedMemory.Region last = vm.memory.map(0x7c00_0000_0000L, 56);
        vm.memory.putLong(last.base, vm.memory.string(vm.library, "CodeBlob"));
        vm.memory.putLong(last.base + 8, vm.memory.string(vm.library, "_size"));
        vm.setParameter("gHotSpotVMStructs", last.base);
        assertRefused(vm, Reason.INCONSISTENT, "cannot read 8 bytes at 0x7c0000000038");
    }

    @Test
    void stringEndsAtItsZeroOrAtTheLimit() throws Exception {
        ForgedMemory memory = new ForgedMemory();
        ForgedMemory.Region region = memory.map(4096, 4096);
        for (int i = 0; i < 4096; i++) {
            memory.putByte(4096 + i, 'x');
        }
        assertThat(VmStructs.string(memory, 4096, 512)).hasSize(512);
        assertThat(VmStructs.string(memory, region.end() - 16, 16)).hasSize(16);
        memory.putByte(5000, 0);
        assertThat(VmStructs.string(memory, 4990, 512)).isEqualTo("x".repeat(10));
        assertThat(VmStructs.string(memory, 5000, 512)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(VmField.class)
    void missingRequiredFieldIsNamedInTheRefusal(VmField field) throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            vm.without(field);
            if (field.required()) {
                assertRefused(
                        vm,
                        Reason.INCONSISTENT,
                        "the VM does not describe " + field.names().getFirst());
            } else {
                open(vm); // either it is optional, or its family's alternative is required: no unchecked exception
            }
        }
    }

    @Test
    void incompleteFieldFamilyIsRefused() {
        ForgedVm new25 =
                ForgedVm.jdk25().without(VmField.NMETHOD_SCOPES_DATA_OFFSET).without(VmField.BLOB_CODE_OFFSET);
        assertRefused(new25, Reason.INCONSISTENT, "CodeBlob._code_offset, nmethod._scopes_data_offset");
        ForgedVm old17 = ForgedVm.jdk17().without(VmField.NMETHOD_METADATA_OFFSET);
        assertRefused(old17, Reason.INCONSISTENT, "nmethod._metadata_offset");
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, 65_537, 1L << 40, Long.MIN_VALUE + 1})
    void implausibleOffsetIsNamedInTheRefusal(long offset) {
        ForgedVm vm = ForgedVm.jdk25();
        vm.locations.put(VmField.METHOD_CONST_METHOD, offset);
        assertRefused(vm, Reason.INCONSISTENT, "Method._constMethod has the offset " + offset);
    }

    @Test
    void implausibleOrMissingSizeIsNamedInTheRefusal() {
        ForgedVm absurd = ForgedVm.jdk25();
        absurd.sizes.put("ConstMethod", 0L);
        assertRefused(absurd, Reason.INCONSISTENT, "ConstMethod has the size 0");
        ForgedVm huge = ForgedVm.jdk25();
        huge.sizes.put("PcDesc", 1L << 33);
        assertRefused(huge, Reason.INCONSISTENT, "PcDesc has the size 8589934592");
        ForgedVm missing = ForgedVm.jdk17();
        missing.sizes.remove("HeapBlock");
        assertRefused(missing, Reason.INCONSISTENT, "the size of HeapBlock");
    }

    /** The members of a PcDesc are read from copied arrays, so they must lie in the structure. */
    @Test
    void pcDescMemberOutsideTheStructIsRefused() {
        ForgedVm vm = ForgedVm.jdk25();
        vm.locations.put(VmField.PC_DESC_PC_OFFSET, vm.sizes.get("PcDesc") - 3);
        assertRefused(vm, Reason.INCONSISTENT, "PcDesc");
    }

    private static void open(ForgedVm vm) {
        try {
            vm.open();
        } catch (UnsupportedVm e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    private static void assertRefused(ForgedVm vm, Reason reason, String message) {
        assertThatThrownBy(vm::open)
                .isInstanceOfSatisfying(
                        UnsupportedVm.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContaining(message);
    }
}
