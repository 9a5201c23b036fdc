package mayfly.linux.sys;

import mayfly.linux.abi.SystemCall;

/**
 * pidfd_open(2), pidfd_send_signal(2): a process held by a descriptor, which never refers to a later process with its
 * id.
 */
public final class Pidfd implements AutoCloseable {
    private final int pid;
    private final Fd fd;

    private Pidfd(int pid, Fd fd) {
        this.pid = pid;
        this.fd = fd;
    }

    /**
     * Opens a process.
     *
     * @throws ErrnoException if the call fails, such as with ESRCH if there is no such process
     */
    public static Pidfd open(int pid) throws ErrnoException {
        return new Pidfd(pid, new Fd((int)
                ErrnoException.check("pidfd_open of " + pid, Syscall.call(SystemCall.PIDFD_OPEN, pid, 0, 0))));
    }

    /** Returns the process id used to open this; another process may have it after this one has exited. */
    public int pid() {
        return pid;
    }

    /** Returns the number of the descriptor. */
    public int number() {
        return fd.number();
    }

    /** Returns true if the process has not exited. A zombie has exited. */
    public boolean isAlive() {
        return Poll.readable(fd.number(), 0) == 0;
    }

    /** Waits until the process exits; returns false on time-out. */
    public boolean awaitExit(int millis) {
        return Poll.readable(fd.number(), millis) > 0;
    }

    /**
     * Sends a signal.
     *
     * @throws ErrnoException if the call fails
     */
    public void signal(int signal) throws ErrnoException {
        ErrnoException.check(
                "pidfd_send_signal " + signal + " to " + pid,
                Syscall.call(SystemCall.PIDFD_SEND_SIGNAL, fd.number(), signal, 0, 0));
    }

    @Override
    public void close() {
        fd.close();
    }
}
