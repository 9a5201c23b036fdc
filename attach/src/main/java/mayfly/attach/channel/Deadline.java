package mayfly.attach.channel;

import java.time.Duration;
import mayfly.api.Status;
import mayfly.linux.sys.KernelClock;

/** One time limit for all steps of a request, by the clock that all processes share (CLOCK_BOOTTIME). */
public final class Deadline {
    /** Upper bound on a time limit. */
    private static final Duration MAX = Duration.ofDays(3650);

    private final long nanos;

    private Deadline(long nanos) {
        this.nanos = nanos;
    }

    public static Deadline in(Duration duration) {
        return new Deadline(KernelClock.BOOT.nanos() + (duration.compareTo(MAX) > 0 ? MAX : duration).toNanos());
    }

    /** Returns the time at which the deadline expires, CLOCK_BOOTTIME in ns. */
    public long nanos() {
        return nanos;
    }

    public boolean isOver() {
        return KernelClock.BOOT.nanos() >= nanos;
    }

    /**
     * Returns the remaining time in ms, at least 1.
     *
     * @throws AttachFailed if the deadline has expired
     */
    int millisLeft(String doing) throws AttachFailed {
        long left = nanos - KernelClock.BOOT.nanos();
        if (left <= 0) {
            throw new AttachFailed(Status.TIMEOUT, doing);
        }
        return (int) Math.min(Integer.MAX_VALUE, left / 1_000_000 + 1);
    }

    /**
     * Sleeps for the given time, and fails when the deadline expires.
     *
     * @param doing the message if the deadline expires
     * @throws AttachFailed if the deadline has expired
     */
    public void pause(int millis, String doing) throws AttachFailed {
        try {
            Thread.sleep(Math.min(millis, millisLeft(doing)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AttachFailed(Status.FAILED, "interrupted");
        }
    }
}
