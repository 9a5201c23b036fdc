package mayfly.record;

import java.util.List;
import java.util.function.Predicate;

/**
 * The longest interval between two drains in a situation: a row of the table {@link #ALL}. The first row whose
 * condition holds applies.
 *
 * @param condition the situation to which the row applies
 * @param millis the interval, ms; a drain is earlier if a ring is nearly full
 * @param reason the reason for the interval
 */
record DrainPolicy(Predicate<Situation> condition, int millis, String reason) {
    static final DrainPolicy URGENT = new DrainPolicy(
            Situation::isBeyondCopies,
            1,
            "stacks exceed the copied and saved parts: the rest must be read before it changes");
    static final DrainPolicy STARTING =
            new DrainPolicy(Situation::isStarting, 5, "a program is starting and maps libraries");
    static final DrainPolicy CHANGING = new DrainPolicy(
            Situation::isChanging,
            20,
            "code is freed and replaced: code seen by a sample should still be in place for the walk");
    static final DrainPolicy UNHELD =
            new DrainPolicy(Situation::isUnheld, 20, "the memory of a started program is lost when the program ends");
    static final DrainPolicy USUAL = new DrainPolicy(
            situation -> true,
            200,
            "the data needed for a drain is evicted from the CPU's caches between drains, so a few large drains are"
                    + " cheaper than many small ones");

    /** All rows, in the order in which they are tried. */
    static final List<DrainPolicy> ALL = List.of(URGENT, STARTING, CHANGING, UNHELD, USUAL);

    /**
     * The situation of a recording between two drains. A method is called only if the conditions of all earlier rows
     * are false.
     */
    interface Situation {
        /** Returns true if a stack exceeded the copied and saved parts recently. */
        boolean isBeyondCopies();

        /** Returns true if the target had no runtime until recently. */
        boolean isStarting();

        /** Returns true if compiled code was freed or replaced recently, or if the recording has just begun. */
        boolean isChanging();

        /** Returns true if this session started the target and does not hold its memory. */
        boolean isUnheld();
    }

    /** Returns the row for a situation. */
    static DrainPolicy of(Situation situation) {
        for (DrainPolicy row : ALL) {
            if (row.condition.test(situation)) {
                return row;
            }
        }
        return USUAL;
    }

    /** Returns true if drains are more frequent than usual. */
    boolean isFrequent() {
        return millis < USUAL.millis;
    }

    /**
     * Returns the time to wait for the next drain, ms: at least 1, and not beyond the end of the recording.
     *
     * @param leftNanos the time until that end, ns
     */
    int waitMillis(long leftNanos) {
        return (int) Math.max(1, Math.min(millis, leftNanos / 1_000_000));
    }
}
