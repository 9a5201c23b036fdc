package mayfly.record;

import java.util.Arrays;

/**
 * Determines whether the target's compiled code is changing quickly. Code may then be created and freed between two
 * drains, so that Mayfly never reads it and mistakes its replacement for it. A few changes are normal: a program that
 * has warmed up frees or replaces a method every second.
 */
final class CodeChanges {
    /** The number of changes within the time window that counts as quick. */
    private static final int LIMIT = 4;

    private static final long WINDOW_NANOS = 2_000_000_000L;

    /** The times of the last changes. */
    private final long[] times = new long[LIMIT];

    private int oldest;
    private long superseded;
    private long late;

    /** Creates the state of a new target, which is assumed to change quickly. */
    CodeChanges(long now) {
        Arrays.fill(times, now);
    }

    /**
     * Updates the state and returns true if the code changes quickly.
     *
     * @param nowSuperseded the total number of blobs freed or replaced so far
     * @param nowLate the total number of samples that came too late for their code; a single one suffices
     */
    boolean areMany(long nowSuperseded, long nowLate, long now) {
        long changes = nowLate == late ? nowSuperseded - superseded : LIMIT;
        for (long i = Math.min(changes, LIMIT); i > 0; i--) {
            times[oldest] = now;
            oldest = (oldest + 1) % LIMIT;
        }
        superseded = nowSuperseded;
        late = nowLate;
        return now - times[oldest] < WINDOW_NANOS;
    }
}
