package mayfly.hotspot.frames.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import mayfly.hotspot.tables.ForgedMemory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The exit of an interpreted method that ends with an exception, as in JDK 17 and 25. */
class ExceptionExitTest {
    private static final long BASE = 0x7e00_0000_0000L;
    /** The instructions from pop rdx to jmp rbx. */
    private static final String JDK_25 =
            "5a 488be3 493ba720060000 720b 49c7872006000000000000 498b87d8040000 49c787d80400000000000050 52 488bf2"
                + " 498bff 40f6c40f 0f8412000000 4883ec08 e811111111 4883c408 e905000000 e811111111 488bd8 5a 58 ffe3";

    private static final String JDK_17 = "5a 488be3 498b87e8020000 49c787e802000000000000"
            + "50 52 488bf2 498bff f7c40f000000 0f8412000000 4883ec08 e811111111 4883c408 e905000000 e811111111"
            + " 488bd8 5a 58 ffe3";

    private static @Nullable ExceptionExit at(String instructions, int from) {
        ForgedMemory memory = new ForgedMemory();
        memory.map(BASE, 4096);
        memory.put(BASE, HexFormat.of().parseHex(instructions.replace(" ", "")));
        return ExceptionExit.at(BASE + from, memory);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, true, 0", // pop rdx
        "1, -1, true, 0", // mov rsp, rbx
        "4, -1, false, 0", // cmp rsp, [r15 + n]
        "42, -1, false, 0", // push rax
        "43, -1, false, 8", // push rdx
        "44, 0, false, 16", // mov rsi, rdx
        "60, 0, false, 16", // sub rsp, 8
        "64, 8, false, 24", // call
        "69, 8, false, 24", // its return
        "78, 0, false, 16", // the other call
        "83, 0, false, 16", // its return
        "86, 0, false, 16", // pop rdx
        "87, -1, false, 8", // pop rax
        "88, -1, false, 0"
    }) // jmp rbx
    void eachInstructionOfTheExceptionExitIsRecognized(int from, int address, boolean fromRbx, int distance) {
        assertThat(at(JDK_25, from)).isEqualTo(new ExceptionExit(address, fromRbx, distance));
    }

    @Test
    void exceptionExitOfJdk17HasFewerInstructions() {
        assertThat(at(JDK_17, 0)).isEqualTo(new ExceptionExit(0, true, 0));
        assertThat(at(JDK_17, 24)).isEqualTo(new ExceptionExit(0, false, 16));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c3",
                "5a 488be3 ffe2",
                "5b ffe3",
                "c9 5a 488be3 ffe3",
                "488be0 ffe3",
                "0f0b060606",
                "ebfe",
                "4883c408",
                "e9ffffff7f"
            })
    void otherCodeIsNotAnExceptionExit(String instructions) {
        assertThat(at(instructions, 0)).isNull();
    }

    @Test
    void unreadableCodeIsNotAnExceptionExit() {
        ForgedMemory memory = new ForgedMemory();
        memory.map(BASE, 100);
        assertThat(ExceptionExit.at(BASE, memory)).isNull();
    }
}
