package mayfly.linux.trace;

import java.util.function.LongSupplier;

/**
 * Measures how long threads are held, and counts the stops that exceed the limit.
 *
 * <p>A thread that is to stop keeps running until it stops, or waits for a CPU as it would otherwise. It is held from
 * some moment after the last check that found it not stopped.
 */
public final class StopClock {
    /**
     * Upper bound for a stop, some hundred times the usual duration. A thread of a busy machine is kept from its CPU
     * by others about as long: a few time slices of the kernel's scheduler (3 ms).
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

    /** Notes the time {@link #now()} before a check that found the thread not stopped. */
    void free(long nanos) {
        freeNanos = nanos;
    }

    /** Returns true if the thread has been held for the maximum time. */
    boolean isLimitReached() {
        return now() - freeNanos >= LIMIT_NANOS;
    }

    /** Notes that the thread has been released. Returns an upper bound on the time it was held, ns. */
    long end() {
        return held(now() - freeNanos);
    }

    /** Notes a stop; {@code nanos} is an upper bound on its duration. Returns {@code nanos}. */
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

    /** Returns the total duration of those stops, ns. */
    long overLimitNanos() {
        return overLimitNanos;
    }
}
