package mayfly.kit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The end of a wait for a state. A loop checks it each time the state has not been reached:
 *
 * <pre>{@code
 * Deadline deadline = Deadline.in(LIMIT);
 * while (!Files.exists(file)) {
 *     deadline.check("%s was not written", file);
 * }
 * }</pre>
 *
 * <p>Each check pauses for a millisecond, which leaves the processor to the process that the test waits for. A test
 * that must observe a state of less than a millisecond cannot use this class.
 */
public final class Deadline {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final long end;

    private Deadline(long end) {
        this.end = end;
    }

    /** Returns the deadline after a limit, which is longer on a busy machine: see {@link Patience}. */
    public static Deadline in(Duration limit) {
        return new Deadline(System.nanoTime() + Patience.of(limit).toNanos());
    }

    /**
     * Fails if the deadline has passed. Otherwise pauses.
     *
     * @param what the state that was not reached, or the evidence
     */
    public void check(String what) {
        if (System.nanoTime() - end > 0) {
            throw new AssertionError("not in time: " + what);
        }
        LockSupport.parkNanos(PAUSE_NANOS);
    }

    /** Fails with a formatted text if the deadline has passed. Otherwise pauses. */
    public void check(String format, Object first, Object... rest) {
        if (System.nanoTime() - end > 0) {
            Object[] all = new Object[rest.length + 1];
            all[0] = first;
            System.arraycopy(rest, 0, all, 1, rest.length);
            throw new AssertionError("not in time: " + format.formatted(all));
        }
        LockSupport.parkNanos(PAUSE_NANOS);
    }
}
