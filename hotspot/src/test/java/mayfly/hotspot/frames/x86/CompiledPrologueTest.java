package mayfly.hotspot.frames.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import mayfly.arch.x86.StackDepth;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.Nmethod;
import mayfly.hotspot.frames.x86.CompiledPrologue.State;
import mayfly.hotspot.tables.ForgedMemory;
import org.junit.jupiter.api.Test;

/**
 * Prologues and epilogues as C1 and C2 of JDK 17 and 25 generate them, instruction by instruction. A row has the bytes
 * of an instruction, the state before it, and its disassembly by objdump. {@link LivePrologueTest} compares with
 * complete real methods.
 */
class CompiledPrologueTest {
    private static final State C = State.COMPLETE;
    private static final State E = State.ENTERED;
    private static final State P = State.RBP_PUSHED;
    private static final State N = State.RBP_NOT_SAVED;

    private record Row(String hex, State state, String text) {}

    private static Row row(String hex, State state, String text) {
        return new Row(hex, state, text);
    }

    /** Checks instructions from the verified entry on. The frame is complete after {@code frameComplete} bytes. */
    private static void check(int verifiedEntry, int frameComplete, boolean osr, List<Row> rows) throws Exception {
        ForgedMemory memory = new ForgedMemory();
        memory.map(ForgedVm.CODE, 4096);
        long begin = ForgedVm.CODE + 1024;
        long end = begin;
        List<Long> starts = new ArrayList<>();
        for (Row row : rows) {
            starts.add(end);
            byte[] bytes = HexFormat.of().parseHex(row.hex.replace(" ", ""));
            memory.put(end, bytes);
            end += bytes.length;
        }
        Nmethod nmethod = new Nmethod(
                CodeBlob.Kind.NMETHOD,
                begin - 64,
                end + 64,
                begin,
                end,
                "nmethod",
                4,
                frameComplete,
                1,
                0,
                0,
                4,
                osr ? end + 32 : begin + verifiedEntry,
                osr ? begin + verifiedEntry : 0,
                0,
                0,
                0,
                new Nmethod.Tables(0, 0, 0, 0, 0, 0, 0, 0, 0));
        for (int i = 0; i < rows.size(); i++) {
            assertThat(CompiledPrologue.at(starts.get(i), nmethod, memory))
                    .as("%d: %s", i, rows.get(i).text)
                    .isEqualTo(rows.get(i).state);
        }
    }

    @Test
    void stateIsDecodedAtEachInstructionOfAC1MethodWithStackBang() throws Exception {
        check(
                0,
                12,
                false,
                List.of(
                        row("89 84 24 00 c0 fe ff", E, "mov [rsp-0x14000],eax"),
                        row("55", E, "push rbp"),
                        row("48 83 ec 20", P, "sub rsp,0x20"),
                        row("41 83 7f 20 01", C, "cmp dword [r15+0x20],1"),
                        row("74 05", C, "je"),
                        row("e8 59 6f aa ff", C, "call nmethod_entry_barrier"),
                        row("8b 46 0c", C, "mov eax,[rsi+0xc]"),
                        row("48 83 c4 20", C, "add rsp,0x20"),
                        row("5d", P, "pop rbp"),
                        row("49 3b 67 28", E, "cmp rsp,[r15+0x28]"),
                        row("0f 87 01 00 00 00", E, "ja stub"),
                        row("c3", E, "ret"),
                        row("49 ba c3 7f ec db 47 7f 00 00", E, "movabs r10,pc"),
                        row("4d 89 97 38 05 00 00", E, "mov [r15+0x538],r10"),
                        row("e9 dc 1b ac ff", E, "jmp SafepointBlob"),
                        row("49 8b 87 e0 05 00 00", C, "mov rax,[r15+0x5e0]"),
                        row("48 83 c4 20", C, "add rsp,0x20"),
                        row("5d", P, "pop rbp"),
                        row("e9 19 c5 b0 ff", E, "jmp unwind_exception"),
                        row("f4", C, "hlt")));
    }

    @Test
    void inlineCacheCheckBeforeTheVerifiedEntryHasNoFrame() throws Exception {
        check(
                14,
                21,
                false,
                List.of(
                        row("44 8b 56 08", E, "mov r10d,[rsi+8]"),
                        row("49 3b c2", E, "cmp rax,r10"),
                        row("0f 85 59 6f aa ff", E, "jne ic_miss"),
                        row("90", E, "nop"),
                        row("55", E, "push rbp"),
                        row("48 83 ec 10", P, "sub rsp,0x10"),
                        row("66 90", C, "xchg ax,ax"),
                        row("90", C, "nop")));
    }

    @Test
    void stateIsDecodedAtEachInstructionOfAC2MethodWithoutStackBang() throws Exception {
        check(
                0,
                20,
                false,
                List.of(
                        row("48 81 ec 18 00 00 00", E, "sub rsp,0x18"),
                        row("48 89 6c 24 10", N, "mov [rsp+0x10],rbp"),
                        row("41 81 7f 20 01 00 00 00", C, "cmp dword [r15+0x20],1"),
                        row("0f 85 20 00 00 00", C, "jne stub"),
                        row("48 83 c4 10", C, "add rsp,0x10"),
                        row("5d", P, "pop rbp"),
                        row("49 3b 67 28", E, "cmp rsp,[r15+0x28]"),
                        row("0f 87 01 00 00 00", E, "ja stub"),
                        row("c3", E, "ret")));
    }

    @Test
    void stateIsDecodedAtEachInstructionOfAC2MethodWithALargeFrame() throws Exception {
        check(
                0,
                23,
                false,
                List.of(
                        row("48 81 ec 88 01 00 00", E, "sub rsp,0x188"),
                        row("48 89 ac 24 80 01 00 00", N, "mov [rsp+0x180],rbp"),
                        row("41 81 7f 20 01 00 00 00", C, "cmp dword [r15+0x20],1"),
                        row("c5 f8 77", C, "vzeroupper"),
                        row("48 81 c4 80 01 00 00", C, "add rsp,0x180"),
                        row("5d", P, "pop rbp"),
                        row("49 3b a7 48 03 00 00", E, "cmp rsp,[r15+0x348]"),
                        row("0f 87 01 00 00 00", E, "ja stub"),
                        row("c3", E, "ret")));
    }

    @Test
    void frameWithPreserveFramePointerIsCompleteAfterItsAllocation() throws Exception {
        check(
                0,
                15,
                false,
                List.of(
                        row("89 84 24 00 c0 fe ff", E, "mov [rsp-0x14000],eax"),
                        row("55", E, "push rbp"),
                        row("48 8b ec", P, "mov rbp,rsp"),
                        row("48 83 ec 30", P, "sub rsp,0x30"),
                        row("90", C, "nop")));
    }

    /** A method that was made not entrant keeps its frames: the jump overwrites the first instruction. */
    @Test
    void notEntrantMethodHasTheStatesOfItsOriginalPrologue() throws Exception {
        check(
                0,
                12,
                false,
                List.of(
                        row("e9 d8 7b a7 ff 00 00", E, "jmp handle_wrong_method, over sub rsp,imm32"),
                        row("48 89 6c 24 10", N, "mov [rsp+0x10],rbp"),
                        row("90", C, "nop")));
        check(
                0,
                12,
                false,
                List.of(
                        row("e9 d8 7b a7 ff fe ff", E, "jmp handle_wrong_method, over mov [rsp-n],eax"),
                        row("55", E, "push rbp"),
                        row("48 83 ec 20", P, "sub rsp,0x20"),
                        row("90", C, "nop")));
    }

    @Test
    void osrMethodBuildsItsFrameAtItsOsrEntry() throws Exception {
        check(
                8,
                4,
                true,
                List.of(
                        row("0f 1f 84 00 00 00 00 00", C, "nop"),
                        row("89 84 24 00 c0 fe ff", E, "mov [rsp-0x14000],eax"),
                        row("55", E, "push rbp"),
                        row("48 83 ec 50", P, "sub rsp,0x50"),
                        row("48 8b 5e 20", C, "mov rbx,[rsi+0x20]")));
    }

    /** JDK 17 addresses the poll's pc relative to rip. */
    @Test
    void returnPollStubHasNoFrame() throws Exception {
        check(
                0,
                0,
                false,
                List.of(
                        row("4c 8d 15 ec ff ff ff", E, "lea r10,[rip-0x14]"),
                        row("4d 89 97 58 03 00 00", E, "mov [r15+0x358],r10"),
                        row("e9 60 f7 ab ff", E, "jmp SafepointBlob"),
                        row("48 8b c3", C, "mov rax,rbx")));
    }

    /** The slow path of a barrier also stores r10, but returns to the method. */
    @Test
    void backwardJumpIsNotAReturnPollStub() throws Exception {
        check(
                0,
                0,
                false,
                List.of(
                        row("49 83 ea 08", C, "sub r10,8"),
                        row("4d 89 97 58 00 00 00", C, "mov [r15+0x58],r10"),
                        row("e9 f0 ff ff ff", C, "jmp back"),
                        row("48 8b c3", C, "mov rax,rbx")));
    }

    /** The slow path of a barrier that saved r13. */
    @Test
    void aPopOfAnotherRegisterIsNotAnEpilogue() throws Exception {
        check(
                0,
                0,
                false,
                List.of(
                        row("e8 00 01 00 00", C, "call"),
                        row("41 5d", C, "pop r13"),
                        row("e9 f0 ff ff ff", C, "jmp back")));
    }

    /** An immediate equal to the opcode of pop rbp, or a compare that resembles a poll, does not end a frame. */
    @Test
    void codeInTheBodyHasTheWholeFrame() throws Exception {
        check(
                0,
                0,
                false,
                List.of(
                        row("48 8b 45 08", C, "mov rax,[rbp+8]"),
                        row("e8 00 01 00 00", C, "call"),
                        row("48 83 c0 5d", C, "add rax,0x5d"),
                        row("48 8b c3", C, "mov rax,rbx"),
                        row("49 3b 87 10 01 00 00", C, "cmp rax,[r15+0x110]"),
                        row("0f 87 10 00 00 00", C, "ja"),
                        row("48 8b c3", C, "mov rax,rbx")));
    }

    @Test
    void raisedStackPointerMeansThatTheEpilogueHasBegun() {
        assertThat(CompiledPrologue.of(new StackDepth(-0x30, -1, -1, 0, 0), 8)).isEqualTo(P);
        assertThat(CompiledPrologue.of(new StackDepth(-0x38, -1, -1, 0, 0), 8)).isEqualTo(E);
        assertThat(CompiledPrologue.of(StackDepth.WHOLE, 8)).isEqualTo(C);
    }
}
