package mayfly.targets;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Uses CPU time, and measures it. */
final class Work {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    /** A sink for results, so that the compiler cannot remove the work. */
    static volatile long sink;

    private Work() {}

    /** Returns the CPU time of the calling thread so far, in ns. */
    static long cpuNanos() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Returns the CPU time of a live thread so far, in ns; -1 if it has ended. */
    static long cpuNanos(Thread thread) {
        return THREADS.getThreadCpuTime(thread.getId());
    }

    /** A chain of dependent integer operations, about a nanosecond each when compiled. */
    static long spin(long steps, long seed) {
        long x = seed | 1;
        for (long i = 0; i < steps; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
            x ^= x >>> 29;
        }
        return x;
    }

    /** Uses at least this much CPU time of the calling thread, in ns. */
    static void burn(long nanos) {
        long end = cpuNanos() + nanos;
        long x = nanos;
        while (cpuNanos() < end) {
            x = spin(5_000, x);
        }
        sink = x;
    }
}
