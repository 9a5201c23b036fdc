package mayfly.record;

import java.util.Arrays;

/**
 * Whether the target's compiled code changes much just now. Where it does, code may come and go between two drains: it was
 * never seen, and what stands in its place would be taken for it. A little is no sign of that: a program that has warmed up
 * frees or replaces a method every second.
 */
final class CodeChanges {
    /** So many within so long are much. */
    private static final int MUCH = 4;
    private static final long WINDOW_NANOS = 2_000_000_000L;

    /** When the last ones were seen. */
    private final long[] times = new long[MUCH];
    private int oldest;
    private long superseded;
    private long late;

    /** A target that has not been looked at yet is taken to change. */
    CodeChanges(long now) {
        Arrays.fill(times, now);
    }

    /**
     * Looks again.
     *
     * @param nowSuperseded how many blobs have been freed or replaced until now
     * @param nowLate how many samples came too late for their code until now: one is as much as all
     */
    boolean areMany(long nowSuperseded, long nowLate, long now) {
        long changes = nowLate == late ? nowSuperseded - superseded : MUCH;
        for (long i = Math.min(changes, MUCH); i > 0; i--) {
            times[oldest] = now;
            oldest = (oldest + 1) % MUCH;
        }
        superseded = nowSuperseded;
        late = nowLate;
        return now - times[oldest] < WINDOW_NANOS;
    }
}
