package mayfly.client.process;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The time by which a call must have ended. */
public final class Deadline {
    /** Longer than any program runs, and small enough to be added to the clock without an overflow. */
    private static final long NEVER = TimeUnit.DAYS.toNanos(36_500);

    private final long end;

    private Deadline(long end) {
        this.end = end;
    }

    /** Returns the deadline after a limit; without a limit, it never passes. */
    public static Deadline in(Optional<Duration> limit) {
        long nanos = limit.map(Deadline::nanos).orElse(NEVER);
        return new Deadline(System.nanoTime() + nanos);
    }

    private static long nanos(Duration limit) {
        return limit.compareTo(Duration.ofNanos(NEVER)) < 0 ? limit.toNanos() : NEVER;
    }

    /** Returns the time until the deadline; zero or less if it has passed. */
    long remainingNanos() {
        return end - System.nanoTime();
    }

    boolean hasPassed() {
        return remainingNanos() <= 0;
    }
}
