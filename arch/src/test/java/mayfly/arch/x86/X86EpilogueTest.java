package mayfly.arch.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The results of decoding up to the return. Each row has the bytes and their disassembly. */
class X86EpilogueTest {
    private static final long PC = 0x1000;

    private static X86Epilogue read(String hex) {
        byte[] code = HexFormat.of().parseHex(hex.replace(" ", ""));
        return new X86Epilogue(code, code.length, PC, 0xf00, 0x1100);
    }

    @ParameterizedTest
    @CsvSource({
        // bytes, disassembly, true if rbp is kept, offset of the return address from sp
        "'c3', ret, true, 0",
        "'f3 c3', rep ret, true, 0",
        "'5d c3', pop rbp; ret, false, 8",
        "'5b 41 5c c3', pop rbx; pop r12; ret, true, 16",
        "'c5 f8 77 c3', vzeroupper; ret, true, 0",
        "'48 83 c4 18 c3', 'add rsp,0x18; ret', true, 24",
        "'48 81 c4 00 01 00 00 c3', 'add rsp,0x100; ret', true, 256",
        "'48 8d 64 24 08 c3', 'lea rsp,[rsp+8]; ret', true, 8",
        "'89 d8 c3', 'mov eax,ebx; ret', true, 0",
        "'48 89 c5 c3', 'mov rbp,rax; ret', false, 0",
        "'48 8b 6c 24 10 c3', 'mov rbp,[rsp+0x10]; ret', false, 0",
        "'0f b6 c0 c3', 'movzx eax,al; ret', true, 0",
        "'5d 48 98 c3', pop rbp; cdqe; ret, false, 8",
        "'48 98 c3', cdqe; ret, true, 0",
        "'8b 40 2c 25 ff ff 07 00 3d 00 00 04 00 0f 94 c0 c3', 'mov; and eax; cmp eax; sete; ret', true, 0",
        "'b0 01 c3', 'mov al,1; ret', true, 0",
        "'48 c1 e8 20 c3', 'shr rax,0x20; ret', true, 0",
        "'f7 d8 c3', neg eax; ret, true, 0",
        "'40 b5 01 c3', 'mov bpl,1; ret', false, 0",
        "'62 f1 7c 48 28 c1 c3', 'vmovaps zmm0,zmm1; ret', true, 0",
        "'e9 00 10 00 00', jmp out of the function, true, 0",
        "'ff e0', jmp rax, true, 0",
        "'f2 ff 25 00 00 00 00', bnd jmp [rip], true, 0",
    })
    void exitOfTheFunctionIsDecoded(String bytes, String disassembly, boolean keepsRbp, long returnAddress) {
        X86Epilogue epilogue = read(bytes);
        assertThat(epilogue.leaves()).as(disassembly).isTrue();
        assertThat(epilogue.keeps(X86_64.RBP)).as(disassembly).isEqualTo(keepsRbp);
        assertThat(epilogue.returnAddressOffset()).as(disassembly).isEqualTo(returnAddress);
    }

    @ParameterizedTest
    @CsvSource({
        "'eb 10', jmp inside the function",
        "'74 10 c3', je; ret",
        "'e8 00 00 00 00 c3', call; ret",
        "'c9 c3', leave; ret",
        "'48 89 ec c3', 'mov rsp,rbp; ret'",
        "'90 90 90', nothing more to read",
        "'0f 0b', ud2",
        "'c4 e2 60 f3 d8 c3', 'bzhi: its register is not decoded; ret'",
        "'50 c3', push; ret",
    })
    void codeWithoutADecodableExitKeepsNoRegister(String bytes, String disassembly) {
        X86Epilogue epilogue = read(bytes);
        assertThat(epilogue.leaves()).as(disassembly).isFalse();
        assertThat(epilogue.keeps(X86_64.RBX)).as(disassembly).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "'48 83 ec 08 48 8b 05 cd 3f 01 00 48 85 c0 74 05 e8 0b 0e 00 00 48 83 c4 08 c3', _init from its start, 0",
        "'48 85 c0 74 05 e8 0b 0e 00 00 48 83 c4 08 c3', _init in its middle, 8",
        "'55 48 83 3d d2 be 00 00 00 48 89 e5 74 0d 48 8b 3d d6 be 00 00 ff 15 c0 be 00 00 e8 63 ff ff ff c6 05 "
                + "0d bf 00 00 01 5d c3', __do_global_dtors_aux before push rbp, 0",
        "'e8 63 ff ff ff c6 05 0d bf 00 00 01 5d c3', the same before its last call, 8",
        "'48 39 f8 74 15 48 8b 05 00 00 00 00 48 85 c0 74 09 ff e0 c3', deregister_tm_clones, 0",
        "'0f 84 10 00 00 00 c3', je near; ret, 0",
    })
    void theRestOfAFunctionWithoutCallFrameInformationIsReadPastCallsAndBranches(String bytes, String code, long at) {
        byte[] ahead = HexFormat.of().parseHex(bytes.replace(" ", ""));
        X86Epilogue epilogue = X86Epilogue.ofUndescribed(ahead, ahead.length, PC);
        assertThat(epilogue.leaves()).as(code).isTrue();
        assertThat(epilogue.returnAddressOffset()).as(code).isEqualTo(at);
    }
}
