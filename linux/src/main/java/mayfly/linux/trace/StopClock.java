package mayfly.linux.trace;

import java.util.function.LongSupplier;

/**
 * Measures how long threads are held, and counts the stops that exceed the limit.
 *
 * <p>A thread that is to stop runs on until it does, or waits for a CPU as it would without us. It is held from some
 * moment after it was last seen not to have stopped.
 */
public final class StopClock {
    /**
     * No stop should take longer. It is some hundred times the usual stop, and about as long as a thread of a busy
     * machine is kept from its CPU by others anyway: a few time slices of the kernel's scheduler (3 ms).
     */
    static final long LIMIT_NANOS = 10_000_000;

    private final LongSupplier clock;
    private long freeNanos;
    private long overLimit;
    private long overLimitNanos;

    /** A clock that counts in nanoseconds, as {@link System#nanoTime()} does. */
    public StopClock(LongSupplier clock) {
        this.clock = clock;
    }

    long now() {
        return clock.getAsLong();
    }

    /** A thread had not stopped at this time, which is {@link #now()} as it was before it was looked at. */
    void free(long nanos) {
        freeNanos = nanos;
    }

    /** Whether the thread has been held for as long as one may be. */
    boolean isLimitReached() {
        return now() - freeNanos >= LIMIT_NANOS;
    }

    /** The thread has been let go. Returns how long it was held, ns at most. */
    long end() {
        return held(now() - freeNanos);
    }

    /** A thread that stopped late was held for so long at most. */
    long held(long nanos) {
        if (nanos > LIMIT_NANOS) {
            overLimit++;
            overLimitNanos += nanos;
        }
        return nanos;
    }

    /** How many stops took longer than the limit. */
    long overLimit() {
        return overLimit;
    }

    /** How long those stops took together, ns. */
    long overLimitNanos() {
        return overLimitNanos;
    }
}
