package mayfly.record;

import java.io.IOException;
import mayfly.linux.perf.PerfCollector.Wait;
import mayfly.profile.Ledger;

/** Where samples come from. All calls come from the thread that records. */
sealed interface Source extends AutoCloseable permits PerfSource, PtraceSource {

    /** Starts sampling. */
    void enable() throws IOException;

    /** Waits until there may be something to drain, at most so long. */
    Wait await(int timeoutMillis);

    /** Turns to the samples there are now, which the next drain ends with. */
    default void begin() {
    }

    /** Gives what there is, or was at {@link #begin()}, to the recorder. */
    void drain(Recorder recorder) throws IOException;

    /** Whether samples may wait for a while without being lost. */
    default boolean hasRoom() {
        return false;
    }

    /** Stops sampling. What was sampled can still be drained. */
    void disable();

    /** Samples that could not be handed over so far. */
    long lost();

    /** Whether the target has become another program by execve(2). */
    boolean isReplaced();

    /** Drops what was sampled until now: that was of whatever starts the target. */
    default void discard() {
    }

    /** How samples are taken, in a few words. */
    String description();

    /** Whether CPU time in the kernel is sampled, so that the samples stand for all of the target's CPU time. */
    boolean seesKernel();

    /** Adds what a reader should know of this way to sample. */
    void account(Ledger.Builder ledger);

    @Override
    void close();
}
