package mayfly.hotspot.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.ForgedMemory;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmField;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MethodsTest {
    private static final RuntimeId R1 = new RuntimeId(1);
    private static final byte[] LINES = {(byte) (0 << 3 | 7), (byte) (4 << 3 | 2), 0};

    private static Methods methods(ForgedVm vm) throws Exception {
        return new Methods(vm.memory, vm.layout(), JdkRules.of(vm.feature));
    }

    @Test
    void methodNamesAndLinesAreRead() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            long address = vm.method("a/b/Größe", "läuft", "(I)J", 10, LINES);
            Method method = methods(vm).at(address, 1);
            Frame.Managed frame = method.frame(R1, Tier.C2, 5);
            assertThat(frame)
                    .isEqualTo(new Frame.Managed(
                            R1, "java", "compiled", "C2", "a.b.Größe", "läuft", "(I)J", 5, 9, ForgedVm.SOURCE_FILE));
            assertThat(method.frame(R1, Tier.C2, 5)).isSameAs(frame);
            assertThat(method.frame(R1, Tier.C1, 3).line()).isEqualTo(7);
            assertThat(method.frame(R1, Tier.C2, 10).position())
                    .as("beyond the code")
                    .isEqualTo(-1);
            assertThat(method.frame(R1, Tier.C2, -1).line()).isEqualTo(-1);
        }
    }

    @Test
    void sourceFileIsReadFromTheClassIfThePoolLacksIt() throws Exception {
        ForgedVm vm = ForgedVm.jdk17().without(VmField.POOL_SOURCE_FILE);
        Method method = methods(vm).at(vm.method("a/B", "run", "()V", 8), 1);
        assertThat(method.file).isEqualTo(ForgedVm.SOURCE_FILE);
    }

    @Test
    void methodWithoutSourceFileIsNamed() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        long address = vm.method("a/B", "run", "()V", 8);
        long pool = vm.memory.readLong(vm.constMethod(address) + vm.at(VmField.CONST_METHOD_CONSTANTS));
        for (int index : new int[] {0, 5, 0xffff}) {
            vm.memory.putShort(pool + vm.at(VmField.POOL_SOURCE_FILE), index);
            Method method = methods(vm).at(address, 1);
            assertThat(method.file).isEmpty();
            assertThat(method.className).isEqualTo("a.B");
        }
    }

    @Test
    void nativeMethodsHaveNoBytecodes() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        long address = vm.method("a/B", "call", "()V", 0);
        vm.memory.putInt(address + vm.at(VmField.METHOD_ACCESS_FLAGS), 0x0101);
        Method method = methods(vm).at(address, 1);
        assertThat(method.isNative).isTrue();
        assertThat(method.frame(R1, Tier.NATIVE, 0).position()).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({
        "java/lang/Object, java.lang.Object",
        "Plain, Plain",
        "a/B$$Lambda+0x00007f8c3c001400, a.B$$Lambda/0x00007f8c3c001400",
        "a/B$$Lambda$14+0x0000000800c03000, a.B$$Lambda$14/0x0000000800c03000",
        "a/Plus+1, a.Plus+1",
        "a/X+0x1+0x2, a.X+0x1/0x2",
    })
    void hiddenClassesAreNamedAsInJava(String internal, String external) {
        assertThat(Methods.externalName(internal)).isEqualTo(external);
    }

    /** Up to JDK 14, the VM's name of an anonymous class contains no address, and many classes share one name. */
    @Test
    void anonymousClassesAreDistinguishedByAddress() throws Exception {
        ForgedVm vm = ForgedVm.jdk17();
        vm.intConstants.put("InstanceKlass::_misc_is_anonymous", 0x20);
        long address = vm.method("a/B$$Lambda$7", "run", "()V", 8);
        long pool = vm.memory.readLong(vm.constMethod(address) + vm.at(VmField.CONST_METHOD_CONSTANTS));
        long klass = vm.memory.readLong(pool + vm.at(VmField.POOL_HOLDER));
        assertThat(methods(vm).at(address, 1).className).isEqualTo("a.B$$Lambda$7");
        vm.memory.putShort(klass + vm.at(VmField.INSTANCE_KLASS_MISC_FLAGS), 0x21);
        assertThat(methods(vm).at(address, 1).className).isEqualTo("a.B$$Lambda$7/0x%016x".formatted(klass));
    }

    @Test
    void methodIsReadAgainOnceItsMemoryIsReused() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        long address = vm.method("a/First", "run", "()V", 8);
        Methods methods = methods(vm);
        Method first = methods.at(address, 1);
        assertThat(methods.at(address, 2)).isSameAs(first);
        vm.method(address, "b/Second", "go", "()V", 8);
        assertThat(methods.at(address, 2)).as("checked once per epoch").isSameAs(first);
        Method second = methods.at(address, 3);
        assertThat(second.className).isEqualTo("b.Second");
        assertThat(first.className).as("the earlier method is unchanged").isEqualTo("a.First");
    }

    @Test
    void methodInUnmappedMemoryIsAFault() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        long address = vm.method("a/First", "run", "()V", 8);
        Methods methods = methods(vm);
        methods.at(address, 1);
        vm.memory.unmap(vm.heap);
        assertThatThrownBy(() -> methods.at(address, 2)).isInstanceOf(mayfly.process.MemoryFault.class);
    }

    @Test
    void invalidMethodAndKlassPointersAreRefused() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        Methods methods = methods(vm);
        for (long address : new long[] {0, 8, 4095, 0x7d00_0000_0001L, -8, 1L << 47}) {
            assertThatThrownBy(() -> methods.at(address, 1))
                    .isInstanceOf(BadMetadata.class)
                    .hasMessageContaining("no Method at 0x");
        }
        long method = vm.method("a/B", "run", "()V", 8);
        long pool = vm.memory.readLong(vm.constMethod(method) + vm.at(VmField.CONST_METHOD_CONSTANTS));
        vm.memory.putLong(pool + vm.at(VmField.POOL_HOLDER), 0x7d00_0000_0004L);
        assertBad(methods, method, "no Klass at");
        vm.memory.putLong(vm.constMethod(method) + vm.at(VmField.CONST_METHOD_CONSTANTS), 16);
        assertBad(methods, method, "no ConstantPool at 0x10");
        vm.memory.putLong(method + vm.at(VmField.METHOD_CONST_METHOD), -1);
        assertBad(methods, method, "no ConstMethod at");
    }

    @Test
    void constantPoolIndexOutOfRangeIsRefused() throws Exception {
        for (VmField field : new VmField[] {VmField.CONST_METHOD_NAME_INDEX, VmField.CONST_METHOD_SIGNATURE_INDEX}) {
            for (int index : new int[] {0, 5, 0xffff}) {
                ForgedVm vm = ForgedVm.jdk17();
                long method = vm.method("a/B", "run", "()V", 8);
                vm.memory.putShort(vm.constMethod(method) + vm.at(field), index);
                assertBad(methods(vm), method, "Method at 0x");
            }
        }
        ForgedVm negative = ForgedVm.jdk17();
        long method = negative.method("a/B", "run", "()V", 8);
        long pool =
                negative.memory.readLong(negative.constMethod(method) + negative.at(VmField.CONST_METHOD_CONSTANTS));
        negative.memory.putInt(pool + negative.at(VmField.POOL_LENGTH), -1);
        assertBad(methods(negative), method, "Method at 0x");
    }

    @Test
    void fieldDescriptorOrEmptyNameIsRefusedAsAMethod() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        assertBad(methods(vm), vm.method("a/B", "run", "I", 8), "no method descriptor");
        assertBad(methods(vm), vm.method("a/B", "", "()V", 8), "has no name");
    }

    /** A symbol's length has 16 bits, so at most 64 KiB are read. A read beyond the mapping is a fault. */
    @Test
    void symbolBeyondItsMappingIsAFault() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        long method = vm.method("a/B", "run", "()V", 8);
        ForgedMemory.Region small = vm.memory.map(0x7c00_0000_0000L, 4096);
        vm.memory.putShort(small.base, 0xffff);
        long pool = vm.memory.readLong(vm.constMethod(method) + vm.at(VmField.CONST_METHOD_CONSTANTS));
        vm.memory.putLong(pool + vm.groupSize("ConstantPool") + 16, small.base);
        assertThatThrownBy(() -> methods(vm).at(method, 1)).isInstanceOf(mayfly.process.MemoryFault.class);
    }

    /** A method with unreadable lines still has its name. */
    @Test
    void damagedLineTableLosesOnlyTheLines() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        byte[] endless = new byte[300_000];
        java.util.Arrays.fill(endless, (byte) 0x09);
        long method = vm.method("a/B", "run", "()V", 8, endless);
        long bytes = vm.memory.bytesRead;
        assertThat(methods(vm).at(method, 1).frame(R1, Tier.C1, 4))
                .isEqualTo(new Frame.Managed(
                        R1, "java", "compiled", "C1", "a.B", "run", "()V", 4, -1, ForgedVm.SOURCE_FILE));
        assertThat(vm.memory.bytesRead - bytes).isLessThan(1 << 20);
    }

    /** Memory after a short table need not be readable. */
    @Test
    void lineTableAtTheEndOfAMappingIsRead() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        long method = vm.method("a/B", "run", "()V", 8);
        ForgedMemory.Region last = vm.memory.map(0x7c00_0000_0000L, 4096);
        int size = vm.groupSize("ConstMethod") + 8 + LINES.length;
        long moved = last.end() - size & -8;
        byte[] bytes = new byte[vm.groupSize("ConstMethod")];
        vm.memory.read(vm.constMethod(method), bytes, 0, bytes.length);
        vm.memory.put(moved, bytes);
        vm.memory.putShort(moved + vm.at(VmField.CONST_METHOD_FLAGS), 1);
        vm.memory.put(moved + bytes.length + 8, LINES);
        vm.memory.putLong(method + vm.at(VmField.METHOD_CONST_METHOD), moved);
        assertThat(methods(vm).at(method, 1).frame(R1, Tier.C1, 4).line()).isEqualTo(9);
    }

    private static void assertBad(Methods methods, long method, String message) {
        assertThatThrownBy(() -> methods.at(method, 1))
                .isInstanceOf(BadMetadata.class)
                .hasMessageContaining(message);
    }
}
