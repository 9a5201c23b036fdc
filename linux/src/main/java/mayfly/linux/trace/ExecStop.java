package mayfly.linux.trace;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Stops a child process after its execve(2), before the first instruction of the new program, see ptrace(2),
 * "PTRACE_EVENT_EXEC stops". Afterwards the child is no longer traced.
 */
final class ExecStop {
    private static final int PTRACE_O_TRACEEXEC = 0x10;
    private static final int PTRACE_EVENT_EXEC = 4;
    private static final int SIGTRAP = 5;
    /** Upper bound on the wait, since the program may be on a slow file system. */
    private static final long PATIENCE_NANOS = 5_000_000_000L;

    private static final long PAUSE_NANOS = 100_000;

    private final int pid;
    private final Ptrace ptrace = new Ptrace();

    private ExecStop(int pid) {
        this.pid = pid;
    }

    /**
     * Begins to trace a waiting child; all further calls must come from the same thread.
     *
     * @return null if tracing is not permitted
     */
    static @Nullable ExecStop prepare(int pid) {
        ExecStop stop = new ExecStop(pid);
        return stop.ptrace.seize(pid, PTRACE_O_TRACEEXEC) < 0 ? null : stop;
    }

    /**
     * Waits for an execve, runs a callback, and releases the child. Signals are passed on.
     *
     * @param then called while the child is stopped at the execve
     * @return true if the child reached the execve; otherwise it has ended, or was released after a time limit
     */
    boolean await(Runnable then) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            long code = ptrace.peek(pid);
            if (code == Ptrace.CLD_TRAPPED || code == Ptrace.CLD_STOPPED) {
                int status = ptrace.stopStatus();
                int event = status >> 8;
                if (event == PTRACE_EVENT_EXEC) {
                    try {
                        then.run();
                    } finally {
                        ptrace.detach(pid, 0);
                    }
                    return true;
                }
                if (interrupted && event != 0) {
                    ptrace.detach(pid, 0);
                    return false;
                }
                goOn(status);
            } else if (code != 0) {
                return false; // the child has ended
            } else if (!interrupted && System.nanoTime() - deadline > 0) {
                interrupted = true;
                ptrace.interrupt(pid);
            } else {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void goOn(int status) {
        int event = status >> 8;
        int signal = status & 0x7f;
        if (event == Ptrace.EVENT_STOP && signal != SIGTRAP) {
            ptrace.listen(pid); // stopped by job control: it remains stopped
        } else {
            ptrace.resume(pid, event == 0 ? signal : 0);
        }
    }
}
