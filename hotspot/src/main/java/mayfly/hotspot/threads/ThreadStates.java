package mayfly.hotspot.threads;

import mayfly.runtime.thread.ManagedThreadState;

/**
 * Determines the activity of a Java thread from two values: the JavaThread's state, which is the kind of code that it
 * runs, and the status in its Thread object, which is the reason for waiting.
 *
 * <p>The status takes precedence, as in a thread dump: a waiting thread is in the VM or blocked there, and only the
 * status has the reason. But a thread that runs Java or native code does not wait, whatever its status: it is about to
 * wait, or has just waited, or is calling an agent. A runnable thread that is blocked waits for the VM itself.
 */
public final class ThreadStates {
    /** The value of a number that could not be read. */
    static final int UNREAD = -1;

    /** JavaThreadState, see globalDefinitions.hpp; each has an odd sibling for the transition to another. */
    private static final int THREAD_NEW = 2;

    private static final int THREAD_IN_NATIVE = 4;
    private static final int THREAD_IN_VM = 6;
    private static final int THREAD_IN_JAVA = 8;
    private static final int THREAD_BLOCKED = 10;

    /** JavaThreadStatus, see javaThreadStatus.hpp: bits that JVMTI's GetThreadState defines. */
    private static final int NEW = 0;

    private static final int TERMINATED = 0x2;
    private static final int RUNNABLE = 0x5;
    private static final int SLEEPING = 0xe1;
    private static final int IN_OBJECT_WAIT = 0x191;
    private static final int IN_OBJECT_WAIT_TIMED = 0x1a1;
    private static final int PARKED = 0x291;
    private static final int PARKED_TIMED = 0x2a1;
    private static final int BLOCKED_ON_MONITOR_ENTER = 0x401;

    private ThreadStates() {}

    /**
     * @param vmState JavaThread::_thread_state, or {@link #UNREAD}
     * @param status Thread.threadStatus, or {@link #UNREAD}
     */
    static ManagedThreadState of(int vmState, int status) {
        int settled = vmState == UNREAD ? UNREAD : vmState & ~1;
        if (status == NEW || status == TERMINATED) {
            return status == NEW ? ManagedThreadState.NEW : ManagedThreadState.TERMINATED;
        }
        if (settled == THREAD_IN_JAVA) {
            return ManagedThreadState.IN_MANAGED_CODE;
        }
        if (settled == THREAD_IN_NATIVE) {
            return ManagedThreadState.IN_NATIVE;
        }
        return switch (status) {
            case RUNNABLE -> runnable(settled);
            case SLEEPING -> ManagedThreadState.SLEEPING;
            case IN_OBJECT_WAIT -> ManagedThreadState.WAITING;
            case IN_OBJECT_WAIT_TIMED -> ManagedThreadState.TIMED_WAITING;
            case PARKED -> ManagedThreadState.PARKED;
            case PARKED_TIMED -> ManagedThreadState.TIMED_PARKED;
            case BLOCKED_ON_MONITOR_ENTER -> ManagedThreadState.BLOCKED;
            default -> settled == THREAD_IN_VM ? ManagedThreadState.IN_VM : ManagedThreadState.UNKNOWN;
        };
    }

    private static ManagedThreadState runnable(int settled) {
        return switch (settled) {
            case THREAD_NEW -> ManagedThreadState.NEW;
            case THREAD_IN_VM, THREAD_BLOCKED -> ManagedThreadState.IN_VM;
            default -> ManagedThreadState.UNKNOWN;
        };
    }

    /**
     * Returns true if a safepoint waits for a thread in this state: one that runs Java code or code of the VM. A thread
     * in native code goes on to run, and stops when it returns.
     *
     * @param vmState JavaThread::_thread_state
     */
    public static boolean delaysSafepoint(int vmState) {
        return vmState > THREAD_NEW
                && vmState <= THREAD_BLOCKED + 1
                && vmState != THREAD_IN_NATIVE
                && vmState != THREAD_BLOCKED;
    }

    /**
     * Returns true if a thread in this state is blocked in code of the VM.
     *
     * @param vmState JavaThread::_thread_state
     */
    public static boolean isBlockedInVm(int vmState) {
        return (vmState & ~1) == THREAD_BLOCKED;
    }

    /** Returns true if a thread with this status waits for nothing that its Thread object knows. */
    public static boolean isRunnable(int status) {
        return status == RUNNABLE;
    }

    /** Returns true if a thread with this status waits to enter a monitor, for the first time or again. */
    public static boolean isBlocked(int status) {
        return status == BLOCKED_ON_MONITOR_ENTER;
    }

    /** Returns true if a thread with this status is in Object.wait, and was not notified. */
    public static boolean isInObjectWait(int status) {
        return status == IN_OBJECT_WAIT || status == IN_OBJECT_WAIT_TIMED;
    }

    /**
     * Returns true if a thread with this status has not begun to run, or has ended: its object does not point to its
     * JavaThread yet (since JDK 21, JDK-8307068), or no longer.
     */
    static boolean isNotAlive(int status) {
        return status == NEW || status == TERMINATED;
    }
}
