package mayfly.record;

import java.io.IOException;
import mayfly.linux.perf.PerfCollector.Wait;
import mayfly.profile.Ledger;

/** A source of samples. All calls come from the recording thread. */
sealed interface EventSource extends AutoCloseable permits PerfSource, PtraceSource {

    /**
     * Starts sampling.
     *
     * @throws IOException if it cannot be started
     */
    void enable() throws IOException;

    /** Waits until there may be samples to drain, at most for the given time. */
    Wait await(int timeoutMillis);

    /** Marks the samples present now as the end of the next drain. */
    default void begin() {
    }

    /**
     * Passes the samples present now, or at {@link #begin()}, to the recorder.
     *
     * @throws IOException if the capture cannot be written
     */
    void drain(Recorder recorder) throws IOException;

    /** Returns true if samples may wait for a while without being lost. */
    default boolean hasRoom() {
        return false;
    }

    /** Stops sampling. Samples taken so far can still be drained. */
    void disable();

    /** Returns the number of samples that could not be delivered so far. */
    long lost();

    /** Returns true if the target has called execve(2). */
    boolean isReplaced();

    /** Drops all samples taken so far, which belong to the launcher of the target. */
    default void discard() {
    }

    /** Returns a short description of the method of sampling. */
    String description();

    /**
     * Returns true if CPU time in the kernel is sampled, so that the samples represent all of the target's CPU time.
     */
    boolean seesKernel();

    /** Adds notes about the method of sampling to a ledger. */
    void account(Ledger.Builder ledger);

    @Override
    void close();
}
