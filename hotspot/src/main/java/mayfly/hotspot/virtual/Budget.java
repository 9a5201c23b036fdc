package mayfly.hotspot.virtual;

import mayfly.hotspot.tables.Unreadable;
import mayfly.runtime.thread.Unread;

/** The time for one copy. Each step of a loop over data of the target uses some of it. */
final class Budget {
    /** The number of steps between two looks at the clock. */
    private static final int STEPS = 4096;

    private final long deadlineNanos;
    private int steps;

    Budget(long deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * Counts a step.
     *
     * @throws Unreadable if the time is over
     */
    void step() throws Unreadable {
        if (++steps % STEPS == 0 && System.nanoTime() - deadlineNanos >= 0) {
            throw new Unreadable(Unread.NO_TIME);
        }
    }
}
