package mayfly.linux.sys;

import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;

/**
 * How Linux lays out the registers of x86-64 in its interfaces. A CPU's numbers of system calls are in {@link Syscall}.
 */
public final class X86Abi {
    /** The CPU of this process and of those that it traces. */
    public static final Architecture ARCHITECTURE = X86_64.ARCHITECTURE;

    /**
     * The DWARF number of each register in a perf sample, in the order of asm/perf_regs.h: ax bx cx dx si di bp sp ip
     * r8…
     */
    private static final int[] PERF_REGISTERS = {
        X86_64.RAX, X86_64.RBX, X86_64.RCX, X86_64.RDX, X86_64.RSI, X86_64.RDI, X86_64.RBP, X86_64.RSP, X86_64.RIP,
        8, 9, 10, 11, 12, 13, 14, 15
    };
    /** What a system call need not have saved, as Linux before 5.10 reports by -1. */
    private static final int[] SAVED_BY_CALLEES = {
        X86_64.RBX, X86_64.RBP, X86_64.R12, X86_64.R13, X86_64.R14, X86_64.R15
    };
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

    /** How many registers a perf sample has. */
    public static int perfRegisters() {
        return PERF_REGISTERS.length;
    }

    /** The DWARF number of a perf sample's register by its place. */
    public static int perfRegister(int place) {
        return PERF_REGISTERS[place];
    }

    /** The DWARF numbers of the registers that a perf sample may lack within a system call. */
    public static int[] savedByCallees() {
        return SAVED_BY_CALLEES.clone();
    }

    /** How many words of user_regs_struct are of use, from its first on. */
    public static int userRegisters() {
        return USER_REGISTERS.length;
    }

    /** The DWARF number of a word of user_regs_struct by its place, -1 if it is no register. */
    public static int userRegister(int place) {
        return USER_REGISTERS[place];
    }
}
