package mayfly.record.event;

import java.util.Locale;
import mayfly.linux.trace.ThreadStopper;

/**
 * A histogram of the durations for which threads were stopped: in tenths of a microsecond up to a millisecond, then in
 * milliseconds up to a second.
 */
final class StopTimes {
    private static final int STEP_NANOS = 100;
    private static final int STEPS = 10_000;
    private static final int LONG_STEP_NANOS = STEP_NANOS * STEPS;
    private static final int LONG_STEPS = 1_000;

    /** The counts; the last one stands for all longer stops. */
    private final long[] counts = new long[STEPS + LONG_STEPS + 1];

    private long stops;
    private long allNanos;
    private long longestNanos;
    private long overLimit;

    void add(long nanos) {
        long step = nanos < LONG_STEP_NANOS ? nanos / STEP_NANOS : STEPS - 1 + nanos / LONG_STEP_NANOS;
        counts[(int) Math.min(counts.length - 1, step)]++;
        stops++;
        allNanos += nanos;
        longestNanos = Math.max(longestNanos, nanos);
        overLimit += nanos > ThreadStopper.STOP_LIMIT_NANOS ? 1 : 0;
    }

    /** Returns the number of stops longer than {@link ThreadStopper#STOP_LIMIT_NANOS}. */
    long overLimit() {
        return overLimit;
    }

    /** Returns the quantile for a fraction from 0 to 1 of all stops: an upper bound on their duration, ns. */
    long atMost(double part) {
        long left = (long) Math.ceil(part * stops);
        for (int i = 0; i < counts.length - 1; i++) {
            left -= counts[i];
            if (left <= 0) {
                return Math.min(longestNanos, end(i));
            }
        }
        return longestNanos;
    }

    private static long end(int step) {
        return step < STEPS ? (step + 1L) * STEP_NANOS : (step - STEPS + 2L) * LONG_STEP_NANOS;
    }

    /**
     * Returns text such as
     * {@code 990 stops, median 20.1 us, 90 % at most 41.0 us, longest 310.5 us, 21.7 ms in all, 0 longer than 10 ms}.
     */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d stops, median %.1f us, 90 %% at most %.1f us, longest %.1f us, %.1f ms in all,"
                        + " %d longer than %d ms",
                stops,
                atMost(0.5) / 1e3,
                atMost(0.9) / 1e3,
                longestNanos / 1e3,
                allNanos / 1e6,
                overLimit,
                ThreadStopper.STOP_LIMIT_NANOS / 1_000_000);
    }
}
