package mayfly.linux.sys;

/**
 * setpriority(2): lets the calling thread run soon after it wakes, on a machine whose CPUs are all busy.
 *
 * <p>On Linux the call means one thread when it is given 0. The JVM's own thread priorities do nothing by default.
 */
public final class ThreadPriority {
    public static final int PRIO_PROCESS = 0;

    private ThreadPriority() {
    }

    /** The nice value of the calling thread, getpriority(2): -20 to 19. */
    public static int nice() {
        // The kernel answers 20 - nice, so that no answer is negative.
        return 20 - (int) Syscall.call(Syscall.GETPRIORITY, PRIO_PROCESS, 0, 0);
    }

    /** Sets the nice value of the calling thread; false if that is not permitted, as it is not for most users. */
    public static boolean nice(int value) {
        return Syscall.call(Syscall.SETPRIORITY, PRIO_PROCESS, 0, value) >= 0;
    }
}
