package mayfly.hotspot.frames.x86;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.arch.x86.X86_64;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.code.ForgedNmethod;
import mayfly.hotspot.tables.VmField;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The step from a virtual thread's last frame on a carrier's stack to the caller of Continuation.enterSpecial. */
class ContinuationSiteTest {
    private static final String BARRIER = "_ZN12StubRoutines19_cont_returnBarrierE";
    private static final String RETURN_PC = "_ZN17ContinuationEntry10_return_pcE";
    private static final int CALL = 24;
    private static final int BARRIER_AT = 256;

    private static ForgedVm.Blob nmethod(ForgedVm vm, String name, boolean isNative) {
        byte[] code = new byte[64];
        code[CALL - 5] = (byte) 0xe8;
        ForgedNmethod spec = new ForgedNmethod(vm.method("a/" + name, "run", "()V", 8)).instructions(code);
        spec.isNative = isNative;
        return vm.nmethod(spec);
    }

    /** Steps from a return address with a ContinuationEntry of this size at the stack pointer. */
    private static void assertStepsToTheCaller(ForgedVm vm, HotSpot hotSpot, long pc, int entrySize) throws Exception {
        long caller = nmethod(vm, "Caller", false).codeBegin() + CALL;
        FrameCursor cursor = new ForgedStack(vm)
                .word(entrySize, 0x1234)
                .word(entrySize + 8, caller)
                .returningTo(pc, 0);
        assertThat(hotSpot.code().isReturnAddress(pc, 0)).isTrue();
        assertThat(hotSpot.step(cursor, frame -> {})).isEqualTo(Step.CALLER);
        assertThat(cursor.registers().pc()).isEqualTo(caller);
        assertThat(cursor.registers().sp()).isEqualTo(ForgedStack.SP + entrySize + 16);
        assertThat(cursor.registers().get(X86_64.RBP)).isEqualTo(0x1234);
    }

    /** The size is that of HotSpot's own code: {@code add rsp, 0x40} before the return, since JDK 20. */
    @ParameterizedTest
    @CsvSource({"19, 48", "20, 64", "21, 64", "22, 64"})
    void returnBarrierIsFoundBySymbolIfContinuationsAreNotDescribed(int feature, int entrySize) throws Exception {
        ForgedVm vm = ForgedVm.jdk(feature);
        vm.variable(BARRIER, vm.stubs.codeBegin() + BARRIER_AT);
        assertStepsToTheCaller(vm, vm.open(), vm.stubs.codeBegin() + BARRIER_AT, entrySize);
    }

    @ParameterizedTest
    @ValueSource(ints = {19, 20, 21, 25})
    void returnBarrierOfAStrippedLibraryIsTheStubNotPrecededByACall(int feature) throws Exception {
        ForgedVm vm = ForgedVm.jdk(feature);
        assertStepsToTheCaller(vm, vm.open(), vm.stubs.codeBegin() + BARRIER_AT, feature == 19 ? 48 : 64);
    }

    @Test
    void stubNotPrecededByACallIsNotAReturnAddressBeforeJdk19() throws Exception {
        for (int feature : new int[] {11, 17, 18}) {
            ForgedVm vm = ForgedVm.jdk(feature);
            vm.variable(BARRIER, vm.stubs.codeBegin() + BARRIER_AT);
            assertThat(vm.open().code().isReturnAddress(vm.stubs.codeBegin() + BARRIER_AT, 0))
                    .isFalse();
        }
    }

    @Test
    void stubOtherThanTheBarrierIsNotAReturnAddress() throws Exception {
        for (int feature : new int[] {21, 25}) {
            ForgedVm vm = ForgedVm.jdk(feature);
            vm.variable(BARRIER, vm.stubs.codeBegin() + BARRIER_AT);
            assertThat(vm.open().code().isReturnAddress(vm.stubs.codeBegin() + BARRIER_AT + 8, 0))
                    .isFalse();
        }
    }

    /** JDK 26 describes 56 bytes and uses 64. */
    @Test
    void describedContinuationEntrySizeIsRoundedUp() throws Exception {
        ForgedVm vm = ForgedVm.jdk(26);
        vm.sizes.put("ContinuationEntry", 56L);
        vm.variable(BARRIER, vm.stubs.codeBegin() + BARRIER_AT);
        assertStepsToTheCaller(vm, vm.open(), vm.stubs.codeBegin() + BARRIER_AT, 64);
    }

    @Test
    void returnIntoEnterSpecialIsFoundBySymbolIfNotDescribed() throws Exception {
        ForgedVm vm = ForgedVm.jdk(21);
        long pc = nmethod(vm, "EnterSpecial", true).codeBegin() + CALL;
        vm.variable(RETURN_PC, pc);
        assertStepsToTheCaller(vm, vm.open(), pc, 64);
    }

    /** JDK 21 sets the return address in Continuation.enterSpecial when the first virtual thread runs. */
    @Test
    void firstVirtualThreadMayRunAfterTheVmWasOpened() throws Exception {
        for (int feature : new int[] {21, 25}) {
            ForgedVm vm = ForgedVm.jdk(feature);
            vm.variable(RETURN_PC, 0);
            long variable = feature == 21 ? vm.symbols.get(RETURN_PC) : vm.at(VmField.CONTINUATION_ENTRY_RETURN_PC);
            vm.memory.putLong(variable, 0);
            HotSpot hotSpot = vm.open();
            long pc = nmethod(vm, "EnterSpecial", true).codeBegin() + CALL;
            vm.memory.putLong(variable, pc);
            assertStepsToTheCaller(vm, hotSpot, pc, 64);
            assertStepsToTheCaller(vm, hotSpot, vm.stubs.codeBegin() + BARRIER_AT, 64);
        }
    }

    @Test
    void callerThatIsNotAReturnAddressIsImplausible() throws Exception {
        ForgedVm vm = ForgedVm.jdk(21);
        long barrier = vm.stubs.codeBegin() + BARRIER_AT;
        vm.variable(BARRIER, barrier);
        FrameCursor cursor = new ForgedStack(vm)
                .word(64, 0x1234)
                .word(72, vm.stubs.codeBegin() + 8)
                .returningTo(barrier, 0);
        assertThat(vm.open().step(cursor, frame -> {})).isEqualTo(Step.IMPLAUSIBLE_RETURN_ADDRESS);
    }
}
