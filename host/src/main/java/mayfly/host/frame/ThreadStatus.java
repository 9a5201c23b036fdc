package mayfly.host.frame;

/** The status of a thread as the JVM keeps it: bits of JVMTI's thread states (JVMTI specification, GetThreadState). */
public final class ThreadStatus {
    private static final int ALIVE = 0x0001;
    private static final int TERMINATED = 0x0002;
    private static final int RUNNABLE = 0x0004;
    private static final int WAITING_INDEFINITELY = 0x0010;
    private static final int WAITING_WITH_TIMEOUT = 0x0020;
    private static final int BLOCKED_ON_MONITOR_ENTER = 0x0400;

    private ThreadStatus() {}

    /** Returns the state. A thread whose status has none of the bits is new, or runnable if it is alive. */
    public static Thread.State state(long status) {
        if (status < 0 || (status & RUNNABLE) != 0) {
            return Thread.State.RUNNABLE;
        }
        if ((status & BLOCKED_ON_MONITOR_ENTER) != 0) {
            return Thread.State.BLOCKED;
        }
        if ((status & WAITING_INDEFINITELY) != 0) {
            return Thread.State.WAITING;
        }
        if ((status & WAITING_WITH_TIMEOUT) != 0) {
            return Thread.State.TIMED_WAITING;
        }
        if ((status & TERMINATED) != 0) {
            return Thread.State.TERMINATED;
        }
        return (status & ALIVE) == 0 ? Thread.State.NEW : Thread.State.RUNNABLE;
    }
}
