package mayfly.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** clock_gettime(2) of CLOCK_THREAD_CPUTIME_ID: the CPU time that the calling thread has used. */
public final class ThreadCpuClock {
    /** See linux/time.h. */
    private static final int CLOCK_THREAD_CPUTIME_ID = 3;

    private ThreadCpuClock() {
    }

    /** CPU time of the calling thread so far, ns. */
    public static long nanos() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment time = arena.allocate(16, 8);
            Syscall.call(Syscall.CLOCK_GETTIME, CLOCK_THREAD_CPUTIME_ID, time.address(), 0);
            return time.get(JAVA_LONG, 0) * 1_000_000_000L + time.get(JAVA_LONG, 8);
        }
    }
}
