package mayfly.hotspot.frames.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import mayfly.arch.x86.X86_64;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.code.ForgedNmethod;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.Step;
import org.junit.jupiter.api.Test;

/** The step out of stubs that jump to the handler of an exception, interrupted at any instruction. */
class StubSiteTest {
    private static final int CALL = 24;
    /** As in JDK 17, 21, 25 and 26, with different field offsets. */
    private static final byte[] EXCEPTION_BLOB = HexFormat.of()
            .parseHex(
                    "52" // push rdx
                            + "4883ec08" // sub rsp, 8
                            + "48892c24" // mov [rsp], rbp
                            + "498987d0030000" // mov [r15+0x3d0], rax
                            + "498997d8030000" // mov [r15+0x3d8], rdx
                            + "49899f90020000" // mov [r15+0x290], rbx
                            + "498bff" // mov rdi, r15
                            + "4883e4f0" // and rsp, -16
                            + "e800000010" // call handle_exception_C
                            + "49c7879002000000000000" // mov [r15+0x290], 0
                            + "488b2c24" // mov rbp, [rsp]
                            + "4883c408" // add rsp, 8
                            + "5a" // pop rdx
                            + "4c8bc0" // mov r8, rax
                            + "498b87d0030000" // mov rax, [r15+0x3d0]
                            + "41ffe0"); // jmp r8

    private static final int[] INSTRUCTIONS = {0, 1, 5, 9, 16, 23, 30, 33, 37, 42, 53, 57, 61, 62, 65, 72};
    private static final int PUSHED = 1;
    private static final int LOWERED = 5;
    private static final int RAISED = 61;
    private static final int POPPED = 62;

    private static int returnAddressAt(int offset) {
        if (offset < PUSHED || offset >= POPPED) {
            return -1;
        }
        return offset < LOWERED || offset == RAISED ? 0 : 8;
    }

    /** The frame of the throwing method has words from earlier calls that look like return addresses. */
    @Test
    void exceptionBlobIsAttributedToTheThrowingMethod() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            byte[] code = new byte[64];
            code[CALL - 5] = (byte) 0xe8;
            long stale = vm.nmethod(new ForgedNmethod(vm.method("a/Stale", "run", "()V", 8))
                                    .compileId(6)
                                    .instructions(code))
                            .codeBegin()
                    + CALL;
            long thrower = vm.nmethod(new ForgedNmethod(vm.method("a/Thrower", "run", "()V", 8))
                                    .compileId(7)
                                    .instructions(code))
                            .codeBegin()
                    + CALL;
            long blob = vm.blob("ExceptionBlob", 2, EXCEPTION_BLOB).codeBegin();
            HotSpot hotSpot = vm.open();
            ForgedStack stack = new ForgedStack(vm);
            for (int offset : INSTRUCTIONS) {
                int at = returnAddressAt(offset);
                for (int word = 0; word < 64; word += 8) {
                    stack.word(word, word == at ? thrower : stale);
                }
                stack.word((int) (ForgedStack.FP - ForgedStack.SP) + 8, stale);
                FrameCursor cursor = stack.interruptedAt(blob + offset, thrower);
                assertThat(hotSpot.step(cursor, frame -> {}))
                        .as("at %d", offset)
                        .isEqualTo(Step.CALLER);
                assertThat(cursor.registers().pc()).as("at %d", offset).isEqualTo(thrower);
                assertThat(cursor.registers().sp())
                        .as("at %d", offset)
                        .isEqualTo(ForgedStack.SP + (at < 0 ? 0 : at + 8));
                assertThat(cursor.registers().get(X86_64.RBP)).isEqualTo(ForgedStack.FP);
                assertThat(cursor.exact()).isFalse();
            }
        }
    }

    /**
     * The stub has no frame, and rbp is that of an outer caller: a walk by rbp would skip all methods between. See
     * generate_unwind_exception in HotSpot's c1_Runtime1_x86.cpp.
     */
    @Test
    void returnAddressOfAFramelessStubLiesAboveItsAlignmentWord() throws Exception {
        byte[] unwind = HexFormat.of()
                .parseHex(
                        "498bf0" // mov rsi, r8
                                + "488b3424" // mov rsi, [rsp]
                                + "f7c40f000000" // test esp, 15
                                + "740f" // je 30
                                + "4883ec08" // sub rsp, 8
                                + "e800000010" // call exception_handler_for_return_address
                                + "4883c408" // add rsp, 8
                                + "eb06" // jmp 36
                                + "90" // 30: nop
                                + "e800000010" // call exception_handler_for_return_address
                                + "488bd8" // mov rbx, rax
                                + "5a" // pop rdx
                                + "ffe3"); // jmp rbx
        for (ForgedVm vm : ForgedVm.both()) {
            byte[] code = new byte[64];
            code[CALL - 5] = (byte) 0xe8;
            long outer = vm.nmethod(new ForgedNmethod(vm.method("a/Outer", "run", "()V", 8))
                                    .compileId(6)
                                    .instructions(code))
                            .codeBegin()
                    + CALL;
            long caller = vm.nmethod(new ForgedNmethod(vm.method("a/Caller", "run", "()V", 8))
                                    .compileId(7)
                                    .instructions(code))
                            .codeBegin()
                    + CALL;
            long blob = vm.blob("unwind_exception Runtime1 stub", -1, unwind).codeBegin();
            HotSpot hotSpot = vm.open();
            ForgedStack stack = new ForgedStack(vm).word((int) (ForgedStack.FP - ForgedStack.SP) + 8, outer);
            for (int[] each : new int[][] {{24, 8}, {36, 0}}) {
                stack.word(0, 0x1234).word(8, 0x1234).word(each[1], caller);
                FrameCursor cursor = stack.returningTo(blob + each[0], 0);
                assertThat(hotSpot.step(cursor, frame -> {})).isEqualTo(Step.CALLER);
                assertThat(cursor.registers().pc()).as("at %d", each[0]).isEqualTo(caller);
                assertThat(cursor.registers().sp()).isEqualTo(ForgedStack.SP + each[1] + 8);
                assertThat(cursor.registers().get(X86_64.RBP)).isEqualTo(ForgedStack.FP);
            }
        }
    }
}
