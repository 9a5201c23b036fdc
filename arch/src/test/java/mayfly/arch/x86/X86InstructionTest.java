package mayfly.arch.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lengths and operands as objdump prints them. */
class X86InstructionTest {
    private static final String FIELD = "\t";
    private final X86Instruction instruction = new X86Instruction();

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    @ParameterizedTest
    @CsvSource({
        "e8 10 00 00 00, call, 16",
        "ff d6, call, 0",
        "ff 56 08, call, 0",
        "eb fe, jump ends, -2",
        "e9 00 01 00 00, jump ends, 256",
        "ff e6, ends, 0",
        "74 0d, conditional, 13",
        "0f 87 01 00 00 00, conditional, 1",
        "c3, ends, 0",
        "0f 0b, ends, 0",
        "f4, ends, 0",
        "48 ff c0, '', 0",
        "c5 f9 74 c1, '', 0", // vpcmpeqb, whose opcode is je's in another map
    })
    void effectOnTheFlowOfControlIsDecoded(String hex, String expected, long distance) {
        byte[] code = bytes(hex);
        assertThat(instruction.decode(code, 0, code.length)).isTrue();
        List<String> found = new ArrayList<>();
        if (instruction.isCall()) {
            found.add("call");
        }
        if (instruction.isJump()) {
            found.add("jump");
        }
        if (instruction.isConditional()) {
            found.add("conditional");
        }
        if (instruction.ends()) {
            found.add("ends");
        }
        assertThat(String.join(" ", found)).isEqualTo(expected);
        if (instruction.isJump() || instruction.isConditional()) {
            assertThat(instruction.jumpDistance()).isEqualTo(distance);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "c3, ret",
        "55, push rbp",
        "41 5c, pop r12",
        "48 89 e5, 'mov rbp,rsp'",
        "48 8b 44 24 10, 'mov rax,[rsp+0x10]'",
        "48 8b 05 00 00 00 00, 'mov rax,[rip+0]'",
        "48 8b 04 25 10 00 00 00, 'mov rax,[0x10]'",
        "49 ba 00 00 00 17 be 7f 00 00, 'movabs r10,imm64'",
        "66 b8 01 00, 'mov ax,1'",
        "66 0f 1f 84 00 00 00 00 00, nop",
        "0f 84 7c 04 00 00, je",
        "48 81 ec 80 0a 00 00, 'sub rsp,0xa80'",
        "f6 c1 07, 'test cl,7'",
        "f7 c2 f0 ff ff ff, 'test edx,imm32'",
        "f7 f9, idiv ecx",
        "c5 f8 77, vzeroupper",
        "c5 f9 2e c2, 'vucomisd xmm0,xmm2'",
        "c4 e2 71 f7 d2, 'shlx edx,edx,ecx'",
        "c4 e3 79 61 03 0c, 'vpcmpestri xmm0,[rbx],0xc'",
        "62 f2 7d 48 30 04 16, 'vpmovzxbw zmm0,[rsi+rdx]'",
        "62 f1 7f af 6f 07, 'vmovdqu8 ymm0{k7}{z},[rdi]'",
        "f3 0f 1e fa, endbr64",
        "f0 48 0f b1 11, 'lock cmpxchg [rcx],rdx'",
        "66 0f 3a 61 03 0c, 'pcmpestri xmm0,[rbx],0xc'",
        "d5 18 b8 be ba fe ca be ba fe ca, 'movabs r16,imm64'",
        "d5 48 89 06, 'mov [rsi],r16'",
        "d5 4c 89 7e 08, 'mov [rsi+0x8],r31'",
        "d5 80 af c1, 'imul eax,ecx'",
        "48 a1 01 02 03 04 05 06 07 08, 'movabs rax,[moffs64]'",
    })
    void instructionLengthIsDecoded(String hex, String disassembly) {
        byte[] code = bytes(hex);
        assertThat(instruction.decode(code, 0, code.length)).as(disassembly).isTrue();
        assertThat(instruction.length()).as(disassembly).isEqualTo(code.length);
        assertThat(instruction.decode(code, 0, code.length - 1))
                .as("%s without its last byte", disassembly)
                .isFalse();
    }

    @Test
    void instructionOperandsAreDecoded() {
        byte[] code = bytes("48 81 ec 80 0a 00 00");
        assertThat(instruction.decode(code, 0, code.length)).isTrue();
        assertThat(instruction.opcode()).isEqualTo(0x81);
        assertThat(instruction.extension()).isEqualTo(5);
        assertThat(instruction.isToRegister()).isTrue();
        assertThat(instruction.operandRegister()).isEqualTo(X86Instruction.RSP);
        assertThat(instruction.immediate()).isEqualTo(0xa80);
        assertThat(instruction.isWide()).isTrue();
    }

    @Test
    void rex2PrefixNamesRegistersAbove15() {
        byte[] code = bytes("d5 4c 89 7e 08");
        assertThat(instruction.decode(code, 0, code.length)).isTrue();
        assertThat(instruction.register()).isEqualTo(31);
        assertThat(instruction.base()).isEqualTo(6);
        code = bytes("d5 10 5c");
        assertThat(instruction.decode(code, 0, code.length)).isTrue();
        assertThat(instruction.opcodeRegister()).as("pop r20, not rsp").isEqualTo(20);
        code = bytes("d5 10 8b 44 24 08");
        assertThat(instruction.decode(code, 0, code.length)).isTrue();
        assertThat(instruction.isAtRsp()).as("at r20").isFalse();
    }

    @Test
    void memoryOperandAtRspIsDetected() {
        byte[] code = bytes("48 8d 64 24 f8");
        assertThat(instruction.decode(code, 0, code.length)).isTrue();
        assertThat(instruction.isAtRsp()).isTrue();
        assertThat(instruction.displacement()).isEqualTo(-8);
    }

    @ParameterizedTest
    @CsvSource({
        "d5 00 7f, REX2 and a short jump",
        "d5 80 84, REX2 and a jump",
        "48 d5 00 89 c8, REX and REX2",
        "67 8b 00, a 32-bit address",
        "06, push es",
        "ea, far jump",
        "62 f4 7c 08 89 c8, APX"
    })
    void unknownInstructionIsRefused(String hex, String what) {
        byte[] code = Arrays.copyOf(bytes(hex), X86Instruction.MAX_LENGTH);
        assertThat(instruction.decode(code, 0, code.length)).as(what).isFalse();
    }

    @Test
    @Tag("slow")
    void randomBytesAreDecodedWithinTheirBounds() {
        Random random = new Random(1);
        byte[] code = new byte[64];
        for (int i = 0; i < 200_000; i++) {
            random.nextBytes(code);
            int end = random.nextInt(code.length);
            int from = random.nextInt(end + 1);
            if (instruction.decode(code, from, end)) {
                assertThat(instruction.length()).isBetween(1, Math.min(X86Instruction.MAX_LENGTH, end - from));
            }
        }
    }

    /** The C library contains almost all instructions. */
    @Test
    @Tag("slow")
    void instructionLengthsEqualThoseOfObjdump() throws Exception {
        Path library = Path.of("/lib/x86_64-linux-gnu/libc.so.6");
        Assumptions.assumeTrue(Files.isReadable(library), "no " + library);
        List<String> wrong = new ArrayList<>();
        int compared = 0;
        for (String line : disassembly(library)) {
            String[] parts = line.split(FIELD);
            // objdump also prints a prefix by itself for unknown instructions.
            if (parts.length < 3
                    || parts[2].contains("(bad)")
                    || !parts[2].contains(" ")
                    || parts[2].contains("(%e")
                    || parts[2].startsWith("rex")
                    || parts[2].startsWith("data16")) {
                continue;
            }
            byte[] own = bytes(parts[1].strip());
            compared++;
            boolean known = instruction.decode(
                    Arrays.copyOf(own, own.length + X86Instruction.MAX_LENGTH),
                    0,
                    own.length + X86Instruction.MAX_LENGTH);
            if (!known || instruction.length() != own.length) {
                wrong.add(line);
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(compared).isGreaterThan(100_000);
    }

    private static List<String> disassembly(Path file) throws IOException {
        Process objdump;
        try {
            objdump = new ProcessBuilder("objdump", "-d", "-w", file.toString())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            Assumptions.abort("objdump is not installed");
            throw e;
        }
        return objdump.inputReader()
                .lines()
                .filter(line -> line.startsWith("  "))
                .toList();
    }
}
