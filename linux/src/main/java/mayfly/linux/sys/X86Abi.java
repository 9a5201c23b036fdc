package mayfly.linux.sys;

import java.util.stream.IntStream;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;

/**
 * The layout of the registers of x86-64 in the interfaces of Linux. {@link Syscall} has the numbers of the system
 * calls.
 */
public final class X86Abi {
    /** The CPU of this process and of those that it traces. */
    public static final Architecture ARCHITECTURE = X86_64.ARCHITECTURE;

    /** The DWARF number of each register of asm/perf_regs.h; -1 for those that are not sampled: flags and segments. */
    private static final int[] PERF_REGISTERS = {
        X86_64.RAX, X86_64.RBX, X86_64.RCX, X86_64.RDX, X86_64.RSI, X86_64.RDI, X86_64.RBP, X86_64.RSP, X86_64.RIP,
        -1, -1, -1, -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15
    };
    /** The DWARF number of each register in a perf sample: the kernel writes them in the order of their bits. */
    private static final int[] SAMPLED = IntStream.of(PERF_REGISTERS).filter(register -> register >= 0).toArray();
    /** The mask of the sampled registers: perf_event_attr.sample_regs_user. */
    public static final long PERF_MASK = IntStream.range(0, PERF_REGISTERS.length)
            .filter(bit -> PERF_REGISTERS[bit] >= 0).mapToLong(bit -> 1L << bit).sum();
    /** The DWARF number of each register in user_regs_struct from its first, r15, up to rsp; -1 for orig_rax. */
    private static final int[] USER_REGISTERS = {
        15, 14, 13, 12, X86_64.RBP, X86_64.RBX, 11, 10, 9, 8, X86_64.RAX, X86_64.RCX, X86_64.RDX, X86_64.RSI,
        X86_64.RDI, -1, X86_64.RIP, -1, -1, X86_64.RSP
    };
    /** sizeof(struct user_regs_struct), see sys/user.h. */
    public static final int USER_REGISTERS_SIZE = 27 * 8;

    /** Offsets in struct pt_regs, see asm/ptrace.h. */
    public static final int PT_REGS_IP = 128;
    public static final int PT_REGS_SP = 152;

    private X86Abi() {
    }

    /** Returns the number of registers in a perf sample. */
    public static int perfRegisters() {
        return SAMPLED.length;
    }

    /** Returns the DWARF number of the register at a position in a perf sample. */
    public static int perfRegister(int place) {
        return SAMPLED[place];
    }

    /**
     * Returns the DWARF numbers of the registers that a perf sample may lack within a system call, because the kernel
     * need not save them at the call. Linux before 5.10 reports them as -1.
     */
    public static int[] savedByCallees() {
        long saved = ARCHITECTURE.calleeSaved() & ~ARCHITECTURE.positionRegisters();
        return IntStream.range(0, ARCHITECTURE.registers()).filter(register -> (saved >>> register & 1) != 0).toArray();
    }

    /** Returns the number of words at the start of user_regs_struct that are used. */
    public static int userRegisters() {
        return USER_REGISTERS.length;
    }

    /** Returns the DWARF number of the word at a position in user_regs_struct; -1 if the word is not a register. */
    public static int userRegister(int place) {
        return USER_REGISTERS[place];
    }
}
