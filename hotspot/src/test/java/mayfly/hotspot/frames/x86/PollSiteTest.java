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

/** The step out of the blob that handles a safepoint poll, interrupted at any instruction of its start. */
class PollSiteTest {
    private static final int CALL = 24;
    private static final int POLL = 40;
    private static final int SAVED_PC = 0x2a8;
    private static final long THREAD = 0x7c00_0010_0000L;
    private static final byte[] BLOB = HexFormat.of()
            .parseHex(
                    "53" // push rbx
                            + "55" // push rbp
                            + "488bec" // mov rbp, rsp
                            + "9c" // pushf
                            + "4883ec78" // sub rsp, 120
                            + "4c897c2410" // mov [rsp+16], r15
                            + "498b9fa8020000" // mov rbx, [r15+0x2a8]
                            + "48895d08" // mov [rbp+8], rbx
                            + "498bff"); // mov rdi, r15
    private static final int[] INSTRUCTIONS = {0, 1, 2, 5, 6, 10, 15, 22};

    /** Returns the distance of the stack pointer below that of the method. */
    private static int pushed(int offset) {
        return switch (offset) {
            case 0 -> 0;
            case 1 -> 8;
            case 2, 3, 4, 5 -> 16;
            case 6 -> 24;
            default -> 144;
        };
    }

    @Test
    void startOfTheBlobIsAttributedToThePolledMethod() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            byte[] code = new byte[64];
            code[CALL - 5] = (byte) 0xe8;
            long caller = vm.nmethod(new ForgedNmethod(vm.method("a/Caller", "run", "()V", 8))
                                    .compileId(6)
                                    .instructions(code))
                            .codeBegin()
                    + CALL;
            var polled = vm.nmethod(new ForgedNmethod(vm.method("a/Polled", "run", "()V", 8))
                    .compileId(7)
                    .instructions(code));
            long poll = polled.codeBegin() + POLL;
            long blob = vm.blob("SafepointBlob", 20, BLOB).codeBegin();
            vm.memory.map(THREAD, 4096);
            vm.memory.putLong(THREAD + SAVED_PC, poll);
            HotSpot hotSpot = vm.open();
            for (int offset : INSTRUCTIONS) {
                int sp = pushed(offset);
                ForgedStack stack = new ForgedStack(vm);
                for (int word = 0; word < 1024; word += 8) {
                    stack.word(word, caller); // also where an earlier call left it
                }
                if (offset >= 2) {
                    stack.word(sp - 16, 0x5555);
                }
                FrameCursor cursor = stack.interruptedAt(blob + offset, 0);
                cursor.registers().set(X86_64.R15, THREAD);
                if (offset >= 5) {
                    cursor.registers().set(X86_64.RBP, ForgedStack.SP + sp - 16);
                }
                assertThat(hotSpot.step(cursor, frame -> {}))
                        .as("at %d", offset)
                        .isEqualTo(Step.CALLER);
                assertThat(cursor.registers().pc()).as("at %d", offset).isEqualTo(poll);
                assertThat(cursor.registers().sp()).as("at %d", offset).isEqualTo(ForgedStack.SP + sp);
                assertThat(cursor.registers().get(X86_64.RBP))
                        .as("at %d", offset)
                        .isEqualTo(offset < 2 ? ForgedStack.FP : 0x5555);
                assertThat(cursor.exact()).isTrue();
            }
        }
    }

    @Test
    void blobOfAThreadWithoutAPolledMethodIsNotAttributedToOne() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            long blob = vm.blob("SafepointBlob", 20, BLOB).codeBegin();
            vm.memory.map(THREAD, 4096);
            HotSpot hotSpot = vm.open();
            FrameCursor cursor = new ForgedStack(vm).interruptedAt(blob + 1, 0);
            cursor.registers().set(X86_64.R15, THREAD);
            assertThat(hotSpot.step(cursor, frame -> {})).isNotEqualTo(Step.CALLER);
        }
    }
}
