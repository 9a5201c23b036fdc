package mayfly.hotspot.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import mayfly.arch.x86.X86_64;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.ForgedVm.Blob;
import mayfly.runtime.ModuleSymbols;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StubNamesTest {

    @ParameterizedTest
    @CsvSource({
        "_ZN12StubRoutines16_jbyte_arraycopyE, jbyte_arraycopy",
        "_ZN12StubRoutines18_cont_returnBarrierE, ''", // a length that does not match the name
        "_ZN12StubRoutines19_cont_returnBarrierE, cont_returnBarrier",
        "_ZN3x8612StubRoutines4_fooE, foo",
        "_ZN12StubRoutines3x864_fooE, foo",
        "_ZN12StubRoutines3x8619_verify_mxcsr_entryE, verify_mxcsr_entry",
        "_ZN12StubRoutines3fooE, foo",
        "_ZN12StubRoutines3foo, ''",
        "_ZN12StubRoutines, ''",
        "_ZN12StubRoutines99999999999_fooE, ''",
        "_ZN9Something4_fooE, ''",
        "'', ''",
    })
    void stubNameIsDerivedFromItsMangledField(String mangled, String name) {
        assertThat(StubNames.routine(mangled, StubNames.prefixes("x86"))).isEqualTo(name);
    }

    @Test
    void stubNameIsDerivedFromTheFieldsOfTheTargetsCpu() {
        List<String> prefixes = StubNames.prefixes("aarch64");
        assertThat(StubNames.routine("_ZN12StubRoutines7aarch6411_zero_blocksE", prefixes))
                .isEmpty();
        assertThat(StubNames.routine("_ZN12StubRoutines7aarch6412_zero_blocksE", prefixes))
                .isEqualTo("zero_blocks");
        assertThat(StubNames.routine("_ZN12StubRoutines3x864_fooE", prefixes))
                .as("of another CPU")
                .isEmpty();
    }

    /** Two routines with fields, separated by a nameless one after a return and padding. */
    @Test
    void stubNameCoversCodeUpToTheEndOfItsRoutine() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        byte[] code = new byte[256];
        Arrays.fill(code, (byte) 0x53);
        code[40] = (byte) 0xc3; // ret
        Arrays.fill(code, 41, 64, (byte) 0x90);
        code[120] = (byte) 0xc3;
        Arrays.fill(code, 121, 128, (byte) 0x90);
        long base = vm.nextBlock() + 16 + vm.groupSize("CodeBlob");
        int shift = (int) (-base & 31);
        byte[] shifted = new byte[shift + 256];
        System.arraycopy(code, 0, shifted, shift, 256);
        Blob blob = vm.blob("StubRoutines (compiler stubs)", 0, shifted);
        long begin = blob.codeBegin() + shift;
        field(vm, "_ZN12StubRoutines4_oneE", begin);
        field(vm, "_ZN12StubRoutines11_one_nopushE", begin + 4);
        field(vm, "_ZN12StubRoutines4_twoE", begin + 128);
        field(vm, "_ZN12StubRoutines5_nullE", 0);
        field(vm, "_ZN12StubRoutines8_outsideE", 0x1234);
        vm.objects.add(new ModuleSymbols.Named(0x10, "_ZN12StubRoutines11_unreadableE"));
        CodeCache cache = vm.cache();
        StubNames names = new StubNames(vm, cache, vm.memory, "x86", X86_64.ARCHITECTURE.instructions());
        CodeBlob found = cache.find(begin, 0);
        assertThat(names.at(begin, found)).isEqualTo("one");
        assertThat(names.at(begin + 40, found)).as("after its second entry").isEqualTo("one");
        assertThat(names.entryOf(begin + 40, found)).isEqualTo(begin);
        assertThat(names.at(begin + 64, found)).as("another routine").isEqualTo(blobName(found));
        assertThat(names.at(begin + 100, found)).isEqualTo(blobName(found));
        assertThat(names.at(begin + 128, found)).isEqualTo("two");
        assertThat(names.at(begin + 255, found)).isEqualTo("two");
        assertThat(names.at(begin - 1, found)).isEqualTo(blobName(found));
        assertThat(names.at(vm.stubs.codeBegin(), cache.find(vm.stubs.codeBegin(), 0)))
                .isEqualTo("StubRoutines (initial stubs)");
        assertThat(names.entry("two")).isEqualTo(begin + 128);
        assertThat(names.entry("null")).isZero();
        assertThat(names.entry("outside")).isZero();
        assertThat(names.entry("unreadable")).isZero();
    }

    private static String blobName(CodeBlob blob) {
        return blob.name;
    }

    private static void field(ForgedVm vm, String symbol, long entry) {
        long address = vm.library.allocate(8);
        vm.memory.putLong(address, entry);
        vm.objects.add(new ModuleSymbols.Named(address, symbol));
    }
}
