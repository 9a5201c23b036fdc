package mayfly.linux.sys;

import mayfly.linux.abi.SystemCall;

/**
 * setpriority(2): makes the calling thread run soon after it wakes, on a machine whose CPUs are all busy.
 *
 * <p>On Linux the call affects a single thread if the id is 0. The JVM's thread priorities have no effect by default.
 */
public final class ThreadPriority {
    public static final int PRIO_PROCESS = 0;

    private ThreadPriority() {}

    /** Returns the nice value of the calling thread, getpriority(2): -20 to 19. */
    public static int nice() {
        // The kernel returns 20 - nice, so that the result is never negative.
        return 20 - (int) Syscall.call(SystemCall.GETPRIORITY, PRIO_PROCESS, 0, 0);
    }

    /** Sets the nice value of the calling thread; returns false if this is not permitted, as for most users. */
    public static boolean nice(int value) {
        return Syscall.call(SystemCall.SETPRIORITY, PRIO_PROCESS, 0, value) >= 0;
    }
}
