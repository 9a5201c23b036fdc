package mayfly.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** clock_gettime(2) of CLOCK_BOOTTIME: the clock by which the kernel notes when a thread started. */
public final class Uptime {
    /** See linux/time.h. */
    static final int CLOCK_BOOTTIME = 7;

    private Uptime() {
    }

    /** Nanoseconds since boot, suspended time included. */
    public static long nanos() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment time = arena.allocate(16, 8);
            Syscall.call(Syscall.CLOCK_GETTIME, CLOCK_BOOTTIME, time.address(), 0);
            return time.get(JAVA_LONG, 0) * 1_000_000_000L + time.get(JAVA_LONG, 8);
        }
    }
}
