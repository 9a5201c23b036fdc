package mayfly.arch.x86;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.util.HexFormat;
import mayfly.arch.CodeSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Encodings as objdump -M intel prints them. */
class CallInstructionTest {
    private static final long BASE = 0x7e00_0000_0000L;

    /** 64 bytes at {@link #BASE}; the code ends at offset 16. */
    private static CodeSource<EOFException> code(String hex) {
        byte[] code = HexFormat.of().parseHex(hex.replace(" ", ""));
        byte[] bytes = new byte[64];
        System.arraycopy(code, 0, bytes, 16 - code.length, code.length);
        return (address, to, offset, length) -> {
            if (address < BASE || address + length > BASE + bytes.length) {
                throw new EOFException();
            }
            System.arraycopy(bytes, (int) (address - BASE), to, offset, length);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "e8 78 56 34 12, call rel32",
        "ff d0, call rax",
        "41 ff d2, call r10",
        "ff 10, call [rax]",
        "ff 50 28, call [rax+0x28]",
        "ff 90 e0 01 00 00, call [rax+0x1e0]",
        "41 ff 97 d8 02 00 00, call [r15+0x2d8]",
        "ff 15 10 20 30 00, call [rip+0x302010]",
        "ff 14 c8, call [rax+rcx*8]",
        "ff 14 25 00 10 00 00, call ds:0x1000",
        "ff 14 c5 00 00 00 00, call [rax*8+0x0]",
        "ff 54 24 08, call [rsp+0x8]",
        "ff 94 24 80 00 00 00, call [rsp+0x80]",
        "43 ff 14 f7, call [r15+r14*8]",
        "ff 14 24, call [rsp]",
    })
    void callInstructionsAreRecognized(String hex, String text) throws Exception {
        assertThat(CallInstruction.endsAt(BASE + 16, code(hex))).as(text).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "ff e0, jmp rax",
        "ff 20, jmp [rax]",
        "41 ff 67 08, jmp [r15+0x8]",
        "ff 60 28, jmp [rax+0x28]",
        "e9 78 56 34 12, jmp rel32",
        "ff c0, inc eax",
        "ff 75 08, push [rbp+0x8]",
        "48 89 e5, 'mov rbp,rsp'",
        "c3, ret",
        "ff 50, half a call",
        "ff 90 e0 01, half a call",
        "00 00 00 00 00 00 00, nothing",
    })
    void otherInstructionsAreNotRecognizedAsCalls(String hex, String text) throws Exception {
        assertThat(CallInstruction.endsAt(BASE + 16, code(hex))).as(text).isFalse();
    }

    @Test
    void targetOfADirectCallIsRead() throws Exception {
        assertThat(CallInstruction.target(BASE + 16, code("e8 f0 ff ff ff"))).isEqualTo(BASE);
        assertThat(CallInstruction.target(BASE + 16, code("e8 00 00 00 80"))).isEqualTo(BASE + 16 - (1L << 31));
        assertThat(CallInstruction.target(BASE + 16, code("ff d0"))).isZero();
        assertThat(CallInstruction.target(BASE + 16, code("49 ba 88 77 66 55 44 33 22 11 41 ff d2")))
                .as("movabs r10,0x1122334455667788; call r10")
                .isEqualTo(0x1122_3344_5566_7788L);
        assertThat(CallInstruction.target(BASE + 16, code("48 ba 88 77 66 55 44 33 22 11 41 ff d2")))
                .as("movabs rdx,…; call r10")
                .isZero();
    }

    @Test
    void unreadableCodeBeforeTheAddressIsAFault() {
        CodeSource<EOFException> memory = code("");
        assertThatThrownBy(() -> CallInstruction.endsAt(BASE + 4, memory)).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> CallInstruction.endsAt(0, memory)).isInstanceOf(EOFException.class);
    }
}
