package mayfly.linux.x86;

import java.util.List;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.linux.abi.Abi;

/** The {@link Abi} of x86-64. */
public final class X86Abi {
    private static final int NONE = Architecture.NONE;

    /** See asm/perf_regs.h; flags and segments are not sampled. */
    private static final List<Integer> PERF_REGISTERS = List.of(
            X86_64.RAX,
            X86_64.RBX,
            X86_64.RCX,
            X86_64.RDX,
            X86_64.RSI,
            X86_64.RDI,
            X86_64.RBP,
            X86_64.RSP,
            X86_64.RIP,
            NONE,
            NONE,
            NONE,
            NONE,
            NONE,
            NONE,
            NONE,
            8,
            9,
            10,
            11,
            12,
            13,
            14,
            15);
    /** See sys/user.h: from r15 to rsp, with orig_rax, cs and eflags, then the segments. */
    private static final List<Integer> USER_REGISTERS = List.of(
            15,
            14,
            13,
            12,
            X86_64.RBP,
            X86_64.RBX,
            11,
            10,
            9,
            8,
            X86_64.RAX,
            X86_64.RCX,
            X86_64.RDX,
            X86_64.RSI,
            X86_64.RDI,
            NONE,
            X86_64.RIP,
            NONE,
            NONE,
            X86_64.RSP,
            NONE,
            NONE,
            NONE,
            NONE,
            NONE,
            NONE,
            NONE);
    /** See asm/ptrace.h. */
    private static final Abi.SavedRegisters SAVED_REGISTERS = new Abi.SavedRegisters(128, 152);
    /** See asm-generic/fcntl.h. */
    private static final Abi.OpenFlags OPEN_FLAGS = new Abi.OpenFlags(0x1_0000, 0x2_0000);
    /** See the kernel's Documentation/arch/x86/x86_64/mm.rst. */
    private static final long KERNEL_CODE = 0xffff_ffff_8000_0000L;

    public static final Abi ABI = new Abi(
            "amd64",
            X86_64.ARCHITECTURE,
            PERF_REGISTERS,
            USER_REGISTERS,
            SAVED_REGISTERS,
            "fsbase",
            OPEN_FLAGS,
            KERNEL_CODE,
            X86SystemCalls.NUMBERS);

    private X86Abi() {}
}
