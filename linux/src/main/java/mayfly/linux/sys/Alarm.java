package mayfly.linux.sys;

import mayfly.linux.abi.SystemCall;

/**
 * Ends this process without the help of the JVM. A thread that touches a mapped file whose file system does not answer
 * blocks in a page fault: it reaches no safepoint, so the next pause of this JVM, including its exit, blocks too.
 */
public final class Alarm {
    private Alarm() {}

    /**
     * Makes the kernel end this process by SIGALRM, see alarm(2). Each call replaces the previous one.
     *
     * @param seconds from now; 0 for never
     */
    public static void in(int seconds) {
        Syscall.call(SystemCall.ALARM, seconds);
    }

    /** Ends this process at once: no shutdown hook runs, see exit_group(2). */
    public static void exit(int status) {
        Syscall.call(SystemCall.EXIT_GROUP, status);
    }
}
