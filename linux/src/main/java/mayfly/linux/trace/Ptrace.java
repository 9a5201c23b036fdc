package mayfly.linux.trace;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.arch.Architecture;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.Syscall;
import mayfly.process.Registers;

/**
 * ptrace(2) and waitid(2) for threads of another process. Every result is the kernel's: at least 0, or a negated
 * errno.
 *
 * <p>The kernel ties a tracee to the OS thread that seized it, so an object belongs to one platform thread.
 * PTRACE_O_EXITKILL is never set, so the kernel releases every tracee when that thread ends.
 */
public final class Ptrace {
    public static final int SEIZE = 0x4206;
    public static final int INTERRUPT = 0x4207;
    public static final int GETREGSET = 0x4204;
    public static final int DETACH = 17;
    static final int CONT = 7;
    static final int LISTEN = 0x4208;
    /** The event of a stop that is not caused by a signal, see ptrace(2), "Group-stop". */
    static final int EVENT_STOP = 128;

    public static final int NT_PRSTATUS = 1;

    public static final int P_PID = 1;
    public static final int WNOHANG = 1;
    public static final int WSTOPPED = 2;
    public static final int WEXITED = 4;
    public static final int WNOWAIT = 0x0100_0000;
    public static final int WALL = 0x4000_0000;
    public static final int CLD_TRAPPED = 4;
    public static final int CLD_STOPPED = 5;
    /** siginfo_t of SIGCHLD. */
    public static final int SI_CODE = 8;

    public static final int SI_PID = 16;
    public static final int SI_STATUS = 24;
    public static final int SIGINFO_SIZE = 128;

    /** The DWARF number of each word of struct user_regs_struct. */
    private static final int[] REGISTERS =
            Cpu.ABI.userRegisters().stream().mapToInt(Integer::intValue).toArray();

    private static final int REGISTERS_SIZE = Cpu.ABI.userRegistersSize();

    private final MemorySegment info = Arena.ofAuto().allocate(SIGINFO_SIZE, 8);
    private final MemorySegment regs = Arena.ofAuto().allocate(REGISTERS_SIZE, 8);
    private final long[] words = new long[REGISTERS.length];
    private final MemorySegment vector = Arena.ofAuto().allocate(16, 8);

    /** Begins to trace a thread without stopping it: PTRACE_SEIZE. */
    public long seize(int tid) {
        return seize(tid, 0);
    }

    long seize(int tid, int options) {
        return Syscall.call(SystemCall.PTRACE, SEIZE, tid, 0, options);
    }

    /** Resumes a stopped tracee, delivering a signal unless that is 0, and continues to trace it. */
    long resume(int tid, int signal) {
        return Syscall.call(SystemCall.PTRACE, CONT, tid, 0, signal);
    }

    /** Keeps a tracee stopped by job control, and continues to trace it. */
    long listen(int tid) {
        return Syscall.call(SystemCall.PTRACE, LISTEN, tid, 0, 0);
    }

    /** Requests a stop of a tracee, without waiting for it: PTRACE_INTERRUPT. */
    public long interrupt(int tid) {
        return Syscall.call(SystemCall.PTRACE, INTERRUPT, tid, 0, 0);
    }

    /** Releases a stopped tracee, delivering a signal unless that is 0. */
    public long detach(int tid, int signal) {
        return Syscall.call(SystemCall.PTRACE, DETACH, tid, 0, signal);
    }

    /**
     * Checks without blocking if a tracee has stopped. Returns 0 if not, a negated errno, or its si_code; then
     * {@link #stopStatus()} is valid. Also reaps a tracee that has ended, so that its real parent is notified.
     *
     * <p>A stop is observed but not consumed. Once a stop is consumed, the kernel no longer stores the signal that the
     * tracee was to receive, and would not deliver it if this process were killed before it released the tracee.
     */
    public long stopped(int tid) {
        long code = peek(tid);
        if (isEnd(code)) {
            take(tid);
        }
        return code;
    }

    private static boolean isEnd(long code) {
        return code > 0 && code != CLD_TRAPPED && code != CLD_STOPPED;
    }

    /** Checks like {@link #stopped}, but does not reap a tracee that has ended. */
    long peek(int tid) {
        info.set(JAVA_INT, SI_PID, 0);
        info.set(JAVA_INT, SI_CODE, 0);
        long result = Syscall.call(
                SystemCall.WAITID, P_PID, tid, info.address(), WNOHANG | WNOWAIT | WSTOPPED | WALL | WEXITED, 0, 0);
        if (result < 0) {
            return result;
        }
        return info.get(JAVA_INT, SI_CODE);
    }

    /**
     * Reaps a tracee if it has ended. Unlike all other methods, this may be called by any thread of this process.
     *
     * <p>The end is observed before it is consumed: waitid(2) with WEXITED also reports the stop of a tracee (see
     * wait_task_stopped in the kernel's exit.c), and a consumed stop loses the signal that the tracee is to receive.
     */
    void reap(int tid) {
        if (isEnd(peek(tid))) {
            take(tid);
        }
    }

    private void take(int tid) {
        Syscall.call(SystemCall.WAITID, P_PID, tid, info.address(), WNOHANG | WALL | WEXITED, 0, 0);
    }

    /** Returns the signal, and the event shifted by 8, of the stop seen last. */
    int stopStatus() {
        return info.get(JAVA_INT, SI_STATUS);
    }

    /**
     * Returns the signal that a stopped tracee is about to receive, which detach must pass on; 0 for a stop of another
     * kind.
     */
    public int pendingSignal() {
        int status = stopStatus();
        return status >> 8 == 0 ? status & 0x7f : 0;
    }

    /** Reads the registers of a stopped tracee: PTRACE_GETREGSET. Returns {@code -EOPNOTSUPP} for a 32-bit thread. */
    public long registers(int tid, Registers into) {
        vector.set(JAVA_LONG, 0, regs.address());
        vector.set(JAVA_LONG, 8, REGISTERS_SIZE);
        long result = Syscall.call(SystemCall.PTRACE, GETREGSET, tid, NT_PRSTATUS, vector.address());
        if (result < 0) {
            return result;
        }
        if (vector.get(JAVA_LONG, 8) != REGISTERS_SIZE) {
            // A 32-bit thread has another, shorter set.
            return -Errno.EOPNOTSUPP;
        }
        // One copy: 27 reads of native memory take several times as long in code that is not compiled yet.
        MemorySegment.copy(regs, JAVA_LONG, 0, words, 0, words.length);
        into.clear();
        for (int i = 0; i < words.length; i++) {
            if (REGISTERS[i] != Architecture.NONE) {
                into.set(REGISTERS[i], words[i]);
            }
        }
        return 0;
    }
}
