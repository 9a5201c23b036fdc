package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.abi.SystemCall;

/**
 * Ends this process without the help of the JVM. A thread that touches a mapped file whose file system does not answer
 * blocks in a page fault: it reaches no safepoint, so the next pause of this JVM, including its exit, blocks too.
 */
public final class Alarm {
    public static final int ITIMER_REAL = 0;
    /** sizeof(struct itimerval): it_interval and it_value, each of tv_sec and tv_usec. */
    public static final int TIMER_SIZE = 32;
    /** The offset of it_value.tv_sec. */
    public static final int SECONDS = 16;
    /** The offset of it_value.tv_usec. */
    public static final int MICROSECONDS = 24;

    private Alarm() {}

    /**
     * Makes the kernel end this process by SIGALRM, as alarm(2) does: see setitimer(2). Each call replaces the previous
     * one.
     *
     * @param seconds from now; 0 for never
     * @return the time until the previous alarm in seconds, rounded up; 0 if there was none
     */
    public static long in(int seconds) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment timers = arena.allocate(2L * TIMER_SIZE, 8);
            timers.set(JAVA_LONG, SECONDS, seconds);
            Syscall.call(SystemCall.SETITIMER, ITIMER_REAL, timers.address(), timers.address() + TIMER_SIZE);
            return timers.get(JAVA_LONG, TIMER_SIZE + SECONDS)
                    + Long.signum(timers.get(JAVA_LONG, TIMER_SIZE + MICROSECONDS));
        }
    }

    /** Ends this process at once: no shutdown hook runs, see exit_group(2). */
    public static void exit(int status) {
        Syscall.call(SystemCall.EXIT_GROUP, status);
    }
}
