package mayfly.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** clock_gettime(2) of CLOCK_MONOTONIC: what {@link System#nanoTime()} is on HotSpot for Linux. */
public final class MonotonicClock {
    private MonotonicClock() {
    }

    /** Nanoseconds since some point before boot. */
    public static long nanos() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment time = arena.allocate(16, 8);
            Syscall.call(Syscall.CLOCK_GETTIME, PerfEventAttr.CLOCK_MONOTONIC, time.address(), 0);
            return time.get(JAVA_LONG, 0) * 1_000_000_000L + time.get(JAVA_LONG, 8);
        }
    }
}
