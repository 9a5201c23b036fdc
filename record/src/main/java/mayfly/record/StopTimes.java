package mayfly.record;

import java.util.Locale;
import mayfly.linux.trace.ThreadStopper;

/** How long threads were stopped: how often by tenths of a microsecond, up to a millisecond; then by milliseconds, up to a second. */
final class StopTimes {
    private static final int STEP_NANOS = 100;
    private static final int STEPS = 10_000;
    private static final int LONG_STEP_NANOS = STEP_NANOS * STEPS;
    private static final int LONG_STEPS = 1_000;

    /** The last stands for all that were longer. */
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

    /** How many took longer than {@link ThreadStopper#STOP_LIMIT_NANOS}. */
    long overLimit() {
        return overLimit;
    }

    /** So long, ns, took at most this part of all stops, from 0 to 1. */
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
