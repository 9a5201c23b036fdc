package mayfly.sampler;

import java.util.Locale;
import mayfly.linux.ThreadStopper;

/** How long threads were stopped: how often by tenths of a microsecond, up to a millisecond. */
final class StopTimes {
    private static final int STEP_NANOS = 100;
    private static final int STEPS = 10_000;

    /** The last stands for all that were longer. */
    private final long[] counts = new long[STEPS + 1];
    private long stops;
    private long allNanos;
    private long longestNanos;
    private long overLimit;

    void add(long nanos) {
        counts[(int) Math.min(STEPS, nanos / STEP_NANOS)]++;
        stops++;
        allNanos += nanos;
        longestNanos = Math.max(longestNanos, nanos);
        overLimit += nanos > ThreadStopper.STOP_LIMIT_NANOS ? 1 : 0;
    }

    /** How many took longer than {@link ThreadStopper#STOP_LIMIT_NANOS}. */
    long overLimit() {
        return overLimit;
    }

    /** So long, ns, took at most this part of all stops, from 0 to 1. */
    long atMost(double part) {
        long left = (long) Math.ceil(part * stops);
        for (int i = 0; i < STEPS; i++) {
            left -= counts[i];
            if (left <= 0) {
                return Math.min(longestNanos, (i + 1L) * STEP_NANOS);
            }
        }
        return longestNanos;
    }

    /**
     * In words, such as {@code 990 stops, median 20.1 us, 90 % at most 41.0 us, longest 310.5 us, 21.7 ms in all, 0
     * longer than 10 ms}.
     */
    @Override
    public String toString() {
        return String.format(Locale.ROOT,
                "%d stops, median %.1f us, 90 %% at most %.1f us, longest %.1f us, %.1f ms in all,"
                        + " %d longer than %d ms", stops, atMost(0.5) / 1e3, atMost(0.9) / 1e3, longestNanos / 1e3,
                allNanos / 1e6, overLimit, ThreadStopper.STOP_LIMIT_NANOS / 1_000_000);
    }
}
