package mayfly.linux.perf;

import java.io.IOException;
import mayfly.linux.LiveProcess;

/**
 * Samples of one process from perf events. All calls, including close, must come from one thread.
 *
 * <p>The order is: open, {@link #enable()}, any number of {@link #await} and {@link #drain}, {@link #disable()}, a
 * last drain, close.
 */
public interface PerfCollector extends AutoCloseable {

    /** The reason why {@link #await} returned. */
    enum Wait {
        /** A ring is a quarter full. */
        DATA,
        /** The time-out has expired. There may be records nevertheless. */
        TIMEOUT,
        /** The target has exited; the records in the rings can still be drained. */
        TARGET_GONE
    }

    /**
     * Starts sampling. Does nothing if the events start by themselves at execve(2).
     *
     * @throws IOException if the kernel does not start an event
     */
    void enable() throws IOException;

    /**
     * Marks the records present now: the next drain delivers these and no later ones. Anything read from the target
     * between the two calls is therefore newer than the records.
     */
    void begin();

    /**
     * Delivers the records present at {@link #begin()}, or else those present now. Returns the number of samples among
     * them.
     */
    int drain(PerfRecords records);

    /**
     * Returns the time of the target's last execve(2), CLOCK_MONOTONIC in ns, as far as it is in the rings by now;
     * records since {@link #begin()} are included. {@link Long#MIN_VALUE} if there was none. Samples taken earlier
     * belong to the previous program.
     */
    long lastExec();

    /**
     * Reports the end of a thread's stack, found by a complete walk, so that later samples of the thread do not
     * include memory beyond it. May be called during a drain.
     */
    void stackEndsAt(int tid, long address);

    /** Waits until there is enough data for a drain, at most for the given time. */
    Wait await(int timeoutMillis);

    /** Returns true if a ring is more than three quarters full and should be drained now. */
    boolean isNearlyFull();

    /** Stops sampling; the records in the rings remain. */
    void disable();

    /** Returns the number of records for which the kernel had no room. */
    long lost();

    /** Returns how many times the kernel stopped an event until the next tick. */
    long throttled();

    /** Returns the number of inconsistent records, which were dropped. */
    long malformed();

    /** Returns the number of dropped samples of other processes, or taken twice. */
    long dropped();

    /** Returns true if time spent in the kernel is sampled too. */
    boolean seesKernel();

    /** Returns the name of this collector for the ledger. */
    String description();

    @Override
    void close();

    /**
     * Opens the collector of the whole system, filtered to one process. Needs CAP_PERFMON or paranoid at most 0.
     *
     * @throws PerfUnavailable if the events cannot be opened
     * @throws IOException if the kernel's settings cannot be read
     */
    static PerfCollector systemWide(LiveProcess target, PerfOptions options) throws PerfUnavailable, IOException {
        return SystemWide.open(target, options);
    }

    /**
     * Opens the collector of a process's threads and of those that they create.
     *
     * @throws PerfUnavailable if the events cannot be opened
     * @throws IOException if the threads or the kernel's settings cannot be read
     */
    static PerfCollector perThread(LiveProcess target, PerfOptions options) throws PerfUnavailable, IOException {
        return PerThread.open(target, options);
    }
}
