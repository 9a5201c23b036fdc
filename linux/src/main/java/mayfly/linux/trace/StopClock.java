package mayfly.linux.trace;

import java.util.function.LongSupplier;

/**
 * Measures how long threads are held, and counts the stops that exceed the limit.
 *
 * <p>Until it stops, a thread that is to stop runs or waits for a CPU as usual. It is held from some moment after the
 * last check at which it had not stopped.
 */
public final class StopClock {
    /**
     * Upper bound for a stop, some hundred times the usual duration. On a busy machine, other threads keep a thread
     * from its CPU for about this time: a few time slices of the kernel's scheduler (3 ms).
     */
    static final long LIMIT_NANOS = 10_000_000;

    private final LongSupplier clock;
    private long freeNanos;
    private long overLimit;
    private long overLimitNanos;

    /** Creates a clock that counts in nanoseconds, as {@link System#nanoTime()} does. */
    public StopClock(LongSupplier clock) {
        this.clock = clock;
    }

    long now() {
        return clock.getAsLong();
    }

    /** Records the time, by {@link #now()}, before a check at which the thread had not stopped. */
    void free(long nanos) {
        freeNanos = nanos;
    }

    /** Returns true if the thread has been held for the maximum time. */
    boolean isLimitReached() {
        return now() - freeNanos >= LIMIT_NANOS;
    }

    /** Records that the thread has been released. Returns an upper bound on the time it was held, ns. */
    long end() {
        return held(now() - freeNanos);
    }

    /** Records a stop; {@code nanos} is an upper bound on its duration. Returns {@code nanos}. */
    long held(long nanos) {
        if (nanos > LIMIT_NANOS) {
            overLimit++;
            overLimitNanos += nanos;
        }
        return nanos;
    }

    /** Returns the number of stops that exceeded the limit. */
    long overLimit() {
        return overLimit;
    }

    /** Returns the total duration of the stops that exceeded the limit, ns. */
    long overLimitNanos() {
        return overLimitNanos;
    }
}
