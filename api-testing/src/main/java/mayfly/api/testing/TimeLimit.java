package mayfly.api.testing;

import java.time.Duration;

/** The limit for each wait of a test. */
final class TimeLimit {
    static final Duration DEFAULT = Duration.ofSeconds(60);
    private static final Duration MAX = Duration.ofDays(1);
    /**
     * A command has a limit of its own for the request to the profiler. The time beyond that covers the start of the
     * command, and its build in a checkout whose sources are newer.
     */
    private static final Duration MORE_FOR_COMMAND = Duration.ofMinutes(3);

    private TimeLimit() {}

    /** @throws IllegalArgumentException if the limit is less than a millisecond, or more than a day */
    static Duration checked(Duration limit) {
        if (limit.compareTo(Duration.ofMillis(1)) < 0 || limit.compareTo(MAX) > 0) {
            throw new IllegalArgumentException("a time limit must be from a millisecond to a day: " + limit);
        }
        return Duration.ofMillis(limit.toMillis());
    }

    /** Returns the limit for a whole command. */
    static Duration ofCommand(Duration limit) {
        return limit.plus(MORE_FOR_COMMAND);
    }
}
