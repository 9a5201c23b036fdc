package mayfly.client;

import java.time.Duration;

/** A detach to be made. Options and their values are those of {@code mayfly detach}, see docs/cli.md. */
public final class DetachRequest {
    private final Invocation invocation;

    DetachRequest(Invocation invocation) {
        this.invocation = invocation;
    }

    /** Sets how long to wait until the profiler is unloaded. Default: 10 seconds. */
    public DetachRequest timeout(Duration time) {
        return new DetachRequest(invocation.with("--timeout", time));
    }

    /** Requests the detach, and does not wait until the profiler is unloaded. */
    public DetachRequest withoutWaiting() {
        return new DetachRequest(invocation.with("--no-wait"));
    }

    /** Begins the detach without asking the profiler, for one that ignores the request or fails on it. */
    public DetachRequest force() {
        return new DetachRequest(invocation.with("--force"));
    }

    /** Permits full garbage collections, however long they stop the program. */
    public DetachRequest collect() {
        return new DetachRequest(invocation.with("--collect"));
    }

    /** Sets the reason that the profiler receives. */
    public DetachRequest reason(String text) {
        return new DetachRequest(invocation.with("--reason", text));
    }

    /** @throws MayflyException if the profiler is not unloaded in time, or the request failed */
    public void run() throws MayflyException, InterruptedException {
        invocation.answer();
    }
}
