package mayfly.hotspot.frames.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import mayfly.arch.x86.X86_64;
import mayfly.hotspot.tables.ForgedMemory;
import mayfly.process.Registers;
import mayfly.runtime.FrameCursor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The exit of an interpreted method, as in JDK 17, 25 and 26. */
class InterpreterExitTest {
    private static final long BASE = 0x7e00_0000_0000L;
    private static final long STACK = 0x7d00_0000_0000L;
    private static final int RSI = 4;
    private static final int R13 = 13;
    private static final String POP = "5e"; // pop rsi
    private static final String MOVE = "48 8b e3"; // mov rsp, rbx
    private static final String MOVE_OTHERWISE = "48 89 dc";
    private static final String JUMP = "ff e6"; // jmp rsi

    private static @Nullable InterpreterExit at(String... instructions) {
        ForgedMemory memory = new ForgedMemory();
        memory.map(BASE, 4096);
        memory.put(BASE, HexFormat.of().parseHex(String.join("", instructions).replace(" ", "")));
        return InterpreterExit.at(BASE, memory);
    }

    @Test
    void eachInstructionOfTheInterpreterExitIsRecognized() {
        assertThat(at(POP, MOVE, JUMP)).isEqualTo(new InterpreterExit(true, true, RSI));
        assertThat(at(POP, MOVE_OTHERWISE, JUMP)).isEqualTo(new InterpreterExit(true, true, RSI));
        assertThat(at(MOVE, JUMP)).isEqualTo(new InterpreterExit(false, true, RSI));
        assertThat(at(JUMP)).isEqualTo(new InterpreterExit(false, false, RSI));
        assertThat(at("41 5d", MOVE, "41 ff e5"))
                .as("pop r13, jmp r13")
                .isEqualTo(new InterpreterExit(true, true, R13));
    }

    @Test
    void interpreterExitWithInstructionsBeforeTheJumpIsRecognized() {
        String flag = "41 c6 87 10 04 00 00 00"; // mov byte [r15+0x410], 0
        String reserved = "49 3b a7 98 03 00 00 72 05"; // cmp rsp, [r15+0x398]; jb
        assertThat(at(POP, MOVE, flag, reserved, JUMP)).isEqualTo(new InterpreterExit(true, true, RSI));
        String forget = "49 c7 87 20 06 00 00 00 00 00 00"; // mov qword [r15+0x620], 0
        assertThat(at(flag, POP, MOVE, reserved, forget, JUMP))
                .as("JDK 25")
                .isEqualTo(new InterpreterExit(true, true, RSI));
    }

    /** The end of the codelet of areturn in JDK 26.0.2, after {@code leave}. */
    @Test
    void exitOfSevenInstructionsIsRecognizedAtEach() {
        String[] recorded = {
            "41 c6 87 a6 03 00 00 00", // mov byte [r15+0x3a6], 0
            "41 5d", // pop r13
            "48 8b e3", // mov rsp, rbx
            "49 3b a7 00 06 00 00", // cmp rsp, [r15+0x600]
            "72 0b", // jb
            "49 c7 87 00 06 00 00 00 00 00 00", // mov qword [r15+0x600], 0
            "41 ff e5", // jmp r13
            "0f 1f 40 00"
        };
        for (int i = 0; i < 7; i++) {
            assertThat(at(Arrays.copyOfRange(recorded, i, recorded.length)))
                    .as("from instruction %d", i)
                    .isEqualTo(new InterpreterExit(i <= 1, i <= 2, R13));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5e ff e6", // the stack pointer is not set
                "5e 48 8b e3 ff e7", // jumps to a register other than the popped one
                "5e 48 8b e3 ff 26", // jmp [rsi]
                "5e 48 8b e3 ff d6", // call rsi
                "5e 48 8b e3 48 ff c0 ff e6", // inc rax between
                "5e 5f 48 8b e3 ff e6", // pops twice
                "48 8b e0 ff e6", // mov rsp, rax
                "c3",
                "5e 48 8b e3 41 c6 87 10 04 00 00 00 41 c6 87 10 04 00 00 00 41 c6 87 10 04 00 00 00 41 c6 87 10 04 00"
                        + " 00 00",
                "0f 0b 06 06 06"
            })
    void otherCodeIsNotAnInterpreterExit(String instructions) {
        assertThat(at(instructions)).isNull();
    }

    @Test
    void unreadableCodeIsNotAnInterpreterExit() {
        ForgedMemory memory = new ForgedMemory();
        memory.map(BASE, 39);
        assertThat(InterpreterExit.at(BASE, memory)).isNull();
    }

    @Test
    void returnAddressIsTakenFromTheRegisterOrTheStack() throws Exception {
        assertThat(new InterpreterExit(true, true, RSI).returnAddress(cursor(16)))
                .isEqualTo(0x1111);
        assertThat(new InterpreterExit(false, true, RSI).returnAddress(cursor(0)))
                .isEqualTo(0x2222);
        assertThat(new InterpreterExit(false, false, RSI).returnAddress(cursor(0)))
                .isEqualTo(0x2222);
        assertThat(new InterpreterExit(true, true, RSI).returnAddress(cursor(-8)))
                .as("below")
                .isZero();
        assertThat(new InterpreterExit(false, false, RSI).returnAddress(cursor(8)))
                .as("set, but rbx differs")
                .isZero();
    }

    /** Returns a cursor of a thread whose rbx is {@code room} bytes above its stack pointer. */
    private static FrameCursor cursor(long room) {
        ForgedMemory memory = new ForgedMemory();
        memory.map(STACK, 64);
        memory.putLong(STACK, 0x1111);
        Registers registers = new Registers(X86_64.ARCHITECTURE);
        registers.set(X86_64.RIP, BASE);
        registers.set(X86_64.RSP, STACK);
        registers.set(X86_64.RBX, STACK + room);
        registers.set(RSI, 0x2222);
        FrameCursor cursor = new FrameCursor(X86_64.ARCHITECTURE, memory, memory, ForgedStack.NO_NATIVE_CODE);
        cursor.start(registers, 0);
        return cursor;
    }
}
