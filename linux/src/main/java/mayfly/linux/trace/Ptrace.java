package mayfly.linux.trace;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.Syscall;
import mayfly.linux.sys.X86Abi;
import mayfly.process.Registers;

/**
 * ptrace(2) and waitid(2) for threads of another process. Every result is the kernel's: at least 0, or a negated errno.
 *
 * <p>The kernel ties a tracee to the OS thread that seized it: belongs to one platform thread. PTRACE_O_EXITKILL is
 * never set, so the kernel lets every tracee go when that thread ends.
 */
public final class Ptrace {
    public static final int SEIZE = 0x4206;
    public static final int INTERRUPT = 0x4207;
    public static final int GETREGSET = 0x4204;
    public static final int DETACH = 17;
    static final int CONT = 7;
    static final int LISTEN = 0x4208;
    /** The event of a stop that is no signal's, see ptrace(2), "Group-stop". */
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


    private final MemorySegment info = Arena.ofAuto().allocate(SIGINFO_SIZE, 8);
    private final MemorySegment regs = Arena.ofAuto().allocate(X86Abi.USER_REGISTERS_SIZE, 8);
    private final MemorySegment vector = Arena.ofAuto().allocate(16, 8);

    public long seize(int tid) {
        return seize(tid, 0);
    }

    long seize(int tid, int options) {
        return Syscall.call(Syscall.PTRACE, SEIZE, tid, 0, options);
    }

    /** Lets a stopped tracee go on, delivering a signal to it unless that is 0, and traces it further. */
    long resume(int tid, int signal) {
        return Syscall.call(Syscall.PTRACE, CONT, tid, 0, signal);
    }

    /** Leaves a tracee stopped by job control so, and traces it further. */
    long listen(int tid) {
        return Syscall.call(Syscall.PTRACE, LISTEN, tid, 0, 0);
    }

    public long interrupt(int tid) {
        return Syscall.call(Syscall.PTRACE, INTERRUPT, tid, 0, 0);
    }

    /** Lets a stopped tracee go, delivering a signal to it unless that is 0. */
    public long detach(int tid, int signal) {
        return Syscall.call(Syscall.PTRACE, DETACH, tid, 0, signal);
    }

    /**
     * Looks whether a tracee has stopped, without waiting: 0 if not, a negated errno, or its si_code, whereupon
     * {@link #stopStatus()} is valid. Its end is taken note of too, so that its real parent is told.
     *
     * <p>A stop is looked at and not taken. Once it is taken the kernel has forgotten the signal that the tracee was to
     * receive, and would not deliver it if we were killed before we let go.
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

    /** The same, but its end is only looked at. */
    long peek(int tid) {
        info.set(JAVA_INT, SI_PID, 0);
        info.set(JAVA_INT, SI_CODE, 0);
        long result = Syscall.call(Syscall.WAITID, P_PID, tid, info.address(),
                WNOHANG | WNOWAIT | WSTOPPED | WALL | WEXITED, 0, 0);
        if (result < 0) {
            return result;
        }
        return info.get(JAVA_INT, SI_CODE);
    }

    /**
     * Takes note of a tracee's end if it has ended. Unlike all else here, any thread of this process may do that.
     *
     * <p>The end is looked at before it is taken. waitid(2) with WEXITED reports the stop of a tracee too (see
     * wait_task_stopped in the kernel's exit.c), and a stop that is taken loses the signal that the tracee is to
     * receive.
     */
    void reap(int tid) {
        if (isEnd(peek(tid))) {
            take(tid);
        }
    }

    private void take(int tid) {
        Syscall.call(Syscall.WAITID, P_PID, tid, info.address(), WNOHANG | WALL | WEXITED, 0, 0);
    }

    /** Signal, and event shifted by 8, of the stop seen last. */
    int stopStatus() {
        return info.get(JAVA_INT, SI_STATUS);
    }

    /** The signal a stopped tracee is about to receive, which detach must pass on; 0 if it is no such stop. */
    public int pendingSignal() {
        int status = stopStatus();
        return status >> 8 == 0 ? status & 0x7f : 0;
    }

    public long registers(int tid, Registers into) {
        vector.set(JAVA_LONG, 0, regs.address());
        vector.set(JAVA_LONG, 8, X86Abi.USER_REGISTERS_SIZE);
        long result = Syscall.call(Syscall.PTRACE, GETREGSET, tid, NT_PRSTATUS, vector.address());
        if (result < 0) {
            return result;
        }
        if (vector.get(JAVA_LONG, 8) != X86Abi.USER_REGISTERS_SIZE) {
            // A 32-bit thread has another, shorter set.
            return -Errno.EOPNOTSUPP;
        }
        into.clear();
        for (int i = 0; i < X86Abi.userRegisters(); i++) {
            if (X86Abi.userRegister(i) >= 0) {
                into.set(X86Abi.userRegister(i), regs.get(JAVA_LONG, 8L * i));
            }
        }
        return 0;
    }
}
