package mayfly.arch.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import mayfly.arch.CodeSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Code as C1, C2 and the barriers of JDK 17 and 25 write it, and gcc, with its disassembly. */
class StackDepthTest {
    private static final long BASE = 0x7e00_0000_0000L;

    /** Depths in bytes before each instruction and after the last. */
    private static List<@Nullable Integer> depths(String... instructions) {
        List<@Nullable Integer> depths = new ArrayList<>();
        for (int i = 0; i <= instructions.length; i++) {
            StackDepth depth = depth(i, instructions);
            depths.add(depth == null ? null : depth.bytes());
        }
        return depths;
    }

    private static @Nullable StackDepth depth(int index, String... instructions) {
        return depth(StackDepth.Start.WHOLE_FRAME, index, instructions);
    }

    private static @Nullable StackDepth depth(StackDepth.Start start, int index, String... instructions) {
        ByteArrayOutputStream code = new ByteArrayOutputStream();
        long end = BASE;
        long pc = BASE;
        for (int i = 0; i < instructions.length; i++) {
            byte[] bytes = HexFormat.of().parseHex(instructions[i].replaceAll("\\s*;.*", "").replace(" ", ""));
            code.writeBytes(bytes);
            end += bytes.length;
            pc = i < index ? end : pc;
        }
        return StackDepth.at(pc, BASE, end, start, memory(code.toByteArray()));
    }

    private static CodeSource<EOFException> memory(byte[] code) {
        return (address, to, offset, length) -> {
            if (address < BASE || address + length > BASE + code.length) {
                throw new EOFException();
            }
            System.arraycopy(code, (int) (address - BASE), to, offset, length);
        };
    }

    /** A native method's wrapper keeps the stack pointer in r12 around a call of the VM, and leaves by rbp. */
    @Test
    void stackPointerThatIsSetFromAnotherRegisterIsUnknownUntilTheFrameIsLeft() {
        String[] wrapper = {"55 ; push rbp", "48 8b ec ; mov rbp,rsp", "48 83 ec 40 ; sub rsp,0x40", "4c 8b e4 ; mov r12,rsp",
            "48 83 e4 f0 ; and rsp,-16", "e8 e8 c2 b1 03 ; call", "49 8b e4 ; mov rsp,r12", "4d 33 e4 ; xor r12,r12",
            "c9 ; leave", "41 f6 47 28 01 ; test byte [r15+0x28],1"};
        assertThat(depths(wrapper)).containsExactly(0, 8, 8, 72, 72, StackDepth.UNKNOWN, StackDepth.UNKNOWN,
                StackDepth.UNKNOWN, StackDepth.UNKNOWN, 0, 0);
    }

    @Test
    void c1PushesTwoClassesForTheSubtypeCheck() {
        assertThat(depths("57         ; push rdi", "56 ; push rsi", "e8 98 0f 98 06 ; call slow_subtype_check",
                "5f ; pop rdi", "5e ; pop rsi", "83 fe 00 ; cmp esi,0")).containsExactly(0, 8, 16, 16, 8, 0, 0);
    }

    @Test
    void c2CopiesFromOneSlotToAnother() {
        assertThat(depths("ff 74 24 10 ; push [rsp+0x10]", "8f 44 24 20 ; pop [rsp+0x20]")).containsExactly(0, 8, 0);
    }

    @Test
    void aSlowPathBehindAJumpBeginsAtAWholeFrame() {
        assertThat(depths("50 ; push rax", "58 ; pop rax", "e9 00 10 00 00 ; jmp", "48 83 ec 38 ; sub rsp,0x38",
                "48 89 4c 24 08 ; mov [rsp+8],rcx", "e8 00 10 00 00 ; call", "48 83 c4 38 ; add rsp,0x38"))
                .containsExactly(0, 8, 0, 0, 0x38, 0x38, 0x38, 0);
    }

    @Test
    void aBranchCarriesWhatIsPushed() {
        assertThat(depths("50 ; push rax", "74 03 ; je over pop and jmp", "58 ; pop rax", "eb 02 ; jmp over pop, nop",
                "58 ; pop rax", "90 ; nop", "90 ; nop")).containsExactly(0, 8, 8, 0, 8, 0, 0, 0);
    }

    @Test
    void aLoopThatIsEnteredInItsMiddleIsAtTheDepthOfItsEnd() {
        assertThat(depths("50 ; push rax", "eb 03 ; jmp to the test", "48 ff c0 ; inc rax", "39 d0 ; cmp eax,edx",
                "75 f9 ; jne to inc", "58 ; pop rax")).containsExactly(0, 8, 8, 8, 8, 8, 0);
    }

    @Test
    void anEpilogueIsLeftBehindItsReturn() {
        assertThat(depths("48 83 c4 30 ; add rsp,0x30", "5d ; pop rbp", "c3 ; ret", "90 ; nop"))
                .containsExactly(0, -0x30, -0x38, 0, 0);
    }

    /** MacroAssembler::reserved_stack_check, between a frame that has been removed and the return. */
    @Test
    void anErrorThatIsReportedWithAnAlignedStackDoesNotConcernTheCodeThatIsJumpedTo() {
        String[] code = {"48 83 c4 60 ; add rsp,0x60", "5d ; pop rbp", "49 3b a7 b8 05 00 00 ; cmp rsp,[r15+0x5b8]",
            "0f 82 19 00 00 00 ; jb to the poll", "e9 5d f1 ff 48 ; jmp throw_delayed_StackOverflowError",
            "48 bf 3c 97 d7 cf e8 7f 00 00 ; mov rdi,message", "48 83 e4 f0 ; and rsp,-16", "e8 e8 4b 21 13 ; call debug64",
            "f4 ; hlt", "49 3b 67 28 ; cmp rsp,[r15+0x28]", "0f 87 af 00 00 00 ; ja stub", "c3 ; ret", "90 ; nop"};
        assertThat(depths(code)).containsExactly(0, -0x60, -0x68, -0x68, -0x68, 0, 0, null, null, -0x68, -0x68, -0x68, 0, 0);
    }

    /**
     * StubRoutines' String.indexOf: of two paths one has copied 16 bytes; both come back by the saved stack pointer.
     */
    @Test
    void aSavedStackPointerTellsWherePathsHaveMet() {
        String[] code = {"48 8b cc ; mov rcx,rsp", "76 04 ; jbe over sub", "48 83 ec 10 ; sub rsp,0x10",
            "48 8b fc ; mov rdi,rsp", "51 ; push rcx", "57 ; push rdi", "5f ; pop rdi", "5c ; pop rsp", "90 ; nop"};
        assertThat(depth(3, code)).isEqualTo(new StackDepth(StackDepth.UNKNOWN, 1, -1, 0, 0));
        assertThat(depth(5, code)).isEqualTo(new StackDepth(StackDepth.UNKNOWN, 1, 0, 0, 0));
        assertThat(depth(6, code)).isEqualTo(new StackDepth(StackDepth.UNKNOWN, 1, 8, 0, 0));
        assertThat(depths(code)).endsWith(0, 0);
    }

    @Test
    void aStubThatKeepsRbpLeavesByIt() {
        assertThat(depths("55 ; push rbp", "48 8b ec ; mov rbp,rsp", "48 83 ec 20 ; sub rsp,0x20", "c9 ; leave",
                "c3 ; ret")).containsExactly(0, 8, 8, 0x28, 0, 0);
    }

    /** PosixAttachListener::dequeue of JDK 25: the loop is entered behind its first block. */
    @Test
    void aFunctionWithAFramePointerIsAtTheDepthOfItsPrologue() {
        String[] code = {"55 ; push rbp", "48 89 e5 ; mov rbp,rsp", "41 57 ; push r15", "41 56 ; push r14",
            "4c 8d 75 a0 ; lea r14,[rbp-0x60]", "53 ; push rbx", "48 83 ec 68 ; sub rsp,0x68", "eb 08 ; jmp",
            "e8 7b 03 d9 ff ; call", "83 38 04 ; cmp [rax],4", "e8 61 00 d9 ff ; call accept", "90 ; nop"};
        StackDepth atReturn = depth(StackDepth.Start.ENTRY, 11, code);
        assertThat(atReturn).isEqualTo(new StackDepth(8 + 16 + 8 + 0x68, 5, -1, 8, 0));
    }

    @Test
    void codeBehindAReturnIsAtTheDepthOfTheCallBefore() {
        String[] code = {"55 ; push rbp", "48 89 e5 ; mov rbp,rsp", "53 ; push rbx", "48 83 ec 18 ; sub rsp,0x18",
            "e8 61 00 d9 ff ; call", "48 8d 65 f8 ; lea rsp,[rbp-8]", "5b ; pop rbx", "5d ; pop rbp", "c3 ; ret",
            "90 ; nop"};
        assertThat(depth(StackDepth.Start.ENTRY, 6, code)).isEqualTo(new StackDepth(16, 5, -1, 8, 0));
        StackDepth behind = depth(StackDepth.Start.ENTRY, 9, code);
        assertThat(behind).isNotNull();
        assertThat(behind.bytes()).isEqualTo(16 + 0x18);
        assertThat(behind.isAssumed()).isTrue();
    }

    @Test
    void roomOfASizeThatIsNotInTheCodeMakesTheDepthUnknown() {
        String[] code = {"55 ; push rbp", "48 89 e5 ; mov rbp,rsp", "48 29 c4 ; sub rsp,rax", "90 ; nop",
            "48 8d 65 f0 ; lea rsp,[rbp-0x10]", "90 ; nop"};
        assertThat(depth(StackDepth.Start.ENTRY, 3, code)).isEqualTo(new StackDepth(StackDepth.UNKNOWN, 5, -1, 8, 0));
        assertThat(depth(StackDepth.Start.ENTRY, 5, code)).isEqualTo(new StackDepth(24, 5, -1, 8, 0));
    }

    @ParameterizedTest
    @CsvSource({"48 8b e0, 'mov rsp,rax'", "48 83 e4 f0, 'and rsp,-16'", "48 03 e0, 'add rsp,rax'",
        "48 29 c4, 'sub rsp,rax'", "c8 10 00 00, enter", "d5 00, an instruction that is not known"})
    void whatIsNotUnderstoodIsNotGuessed(String hex, String disassembly) {
        assertThat(depth(1, hex, "90")).as(disassembly).isNull();
    }

    @Test
    void codeThatCannotBeReadSaysNothing() {
        assertThat(StackDepth.at(BASE + 8, BASE, BASE + 64, memory(new byte[0]))).isNull();
        assertThat(StackDepth.at(BASE - 8, BASE, BASE + 64, memory(new byte[0]))).isNull();
    }
}
