package mayfly.linux.abi;

import java.util.List;
import java.util.Map;
import mayfly.arch.Architecture;

/**
 * The properties of a CPU in the interfaces of Linux. All other numbers of this module are those of the kernel's
 * asm-generic headers, which 64-bit CPUs share: errno, ptrace requests, socket options, and the layout of structures.
 * {@code mayfly.linux.sys.Cpu} has the value for this machine.
 *
 * @param osArch the JVM's name of the CPU: the system property os.arch
 * @param architecture the CPU
 * @param perfRegisters the DWARF number of each register in a perf sample, by its bit in
 *     perf_event_attr.sample_regs_user; {@link Architecture#NONE} for a register that is not sampled
 * @param userRegisters the DWARF number of each 8-byte word of struct user_regs_struct;
 *     {@link Architecture#NONE} for a word that is not used
 * @param savedRegisters the location of the user registers that the kernel saves at its entry
 * @param threadPointer the member of struct thread_struct with the address of the thread control block, which C
 *     libraries place at the end of a thread's stack
 * @param openFlags the flags of open(2) that differ between CPUs
 * @param kernelCode the start of the 2 GiB that contain all code of the kernel
 * @param systemCalls the number of each system call. A CPU may lack a call
 */
public record Abi(
        String osArch,
        Architecture architecture,
        List<Integer> perfRegisters,
        List<Integer> userRegisters,
        SavedRegisters savedRegisters,
        String threadPointer,
        OpenFlags openFlags,
        long kernelCode,
        Map<SystemCall, Integer> systemCalls) {
    /** Stands for the number of a call that the CPU lacks. For this number, the kernel returns ENOSYS. */
    public static final int NO_CALL = -1;

    /**
     * Offsets in struct pt_regs, in bytes.
     *
     * @param programCounter the program counter
     * @param stackPointer the stack pointer
     */
    public record SavedRegisters(int programCounter, int stackPointer) {}

    /**
     * Flags of open(2).
     *
     * @param directory O_DIRECTORY
     * @param noFollow O_NOFOLLOW
     */
    public record OpenFlags(int directory, int noFollow) {}

    /** Returns the number of a system call; {@link #NO_CALL} if the CPU lacks it. */
    public int number(SystemCall call) {
        return systemCalls.getOrDefault(call, NO_CALL);
    }

    /** Returns the mask of the sampled registers: perf_event_attr.sample_regs_user. */
    public long perfMask() {
        long mask = 0;
        for (int bit = 0; bit < perfRegisters.size(); bit++) {
            if (perfRegisters.get(bit) != Architecture.NONE) {
                mask |= 1L << bit;
            }
        }
        return mask;
    }

    /** Returns the DWARF number of each register in a sample. The kernel writes them in the order of their bits. */
    public int[] sampled() {
        return perfRegisters.stream()
                .mapToInt(Integer::intValue)
                .filter(register -> register != Architecture.NONE)
                .toArray();
    }

    /** Returns the size of struct user_regs_struct in bytes. */
    public int userRegistersSize() {
        return Long.BYTES * userRegisters.size();
    }
}
