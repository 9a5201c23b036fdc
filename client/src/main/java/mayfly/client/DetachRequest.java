package mayfly.client;

import java.time.Duration;

/** A detach to be made. Options and their values are those of {@code mayfly detach}, see docs/cli.md. */
public final class DetachRequest {
    private final Invocation invocation;

    DetachRequest(Invocation invocation) {
        this.invocation = invocation;
    }

    /**
     * Sets how long to wait until the profiler is unloaded. Default: 10 seconds.
     *
     * @throws IllegalArgumentException if the time is not a positive whole number of milliseconds, or is more than
     *         10,000 days
     */
    public DetachRequest timeout(Duration time) {
        return new DetachRequest(invocation.with("--timeout", time));
    }

    /** Requests the detach, and does not wait until the profiler is unloaded. */
    public DetachRequest withoutWaiting() {
        return new DetachRequest(invocation.with("--no-wait"));
    }

    /** Begins the detach without asking the profiler, if the profiler ignores the request or fails on it. */
    public DetachRequest force() {
        return new DetachRequest(invocation.with("--force"));
    }

    /** Permits full garbage collections, however long they stop the program, and walks of the heap. */
    public DetachRequest collect() {
        return new DetachRequest(invocation.with("--collect"));
    }

    /** Sets the reason that the profiler receives. Default: mayfly detach. */
    public DetachRequest reason(String text) {
        return new DetachRequest(invocation.with("--reason", text));
    }

    /**
     * Detaches the profiler.
     *
     * @throws MayflyException if the profiler is not unloaded in time ({@link MayflyException.Reason#TIMEOUT}; the
     *         detach continues), or if the request failed
     * @throws InterruptedException if this thread is interrupted; the detach may continue then
     * @throws IllegalArgumentException if a text cannot be passed on a command line: it contains a NUL, or a character
     *         that the encoding of this JVM lacks
     */
    public void run() throws MayflyException, InterruptedException {
        invocation.answer();
    }
}
