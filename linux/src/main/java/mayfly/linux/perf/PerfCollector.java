package mayfly.linux.perf;

import java.io.IOException;
import mayfly.linux.LiveProcess;

/**
 * Samples of one process from perf events. All calls, the closing too, come from one thread.
 *
 * <p>The order is: open, {@link #enable()}, any number of {@link #await} and {@link #drain}, {@link #disable()}, a last
 * drain, close.
 */
public interface PerfCollector extends AutoCloseable {

    /** Why {@link #await} returned. */
    enum Wait {
        /** A ring is a quarter full. */
        DATA,
        /** The time is over. There may be records none the less. */
        TIMEOUT,
        /** The target has exited; what it left in the rings can still be drained. */
        TARGET_GONE
    }

    /** Starts sampling. Does nothing if the events start by themselves at execve(2). */
    void enable() throws IOException;

    /**
     * Turns to the records there are now: the next drain hands over these and none that came later. What is read of the
     * target between the two is then newer than they are.
     */
    void begin();

    /** Hands over the records there were at {@link #begin()}, else those there are now, and says how many samples were among them. */
    int drain(PerfRecords records);

    /**
     * When the target became another program by execve(2) for the last time, CLOCK_MONOTONIC in ns, as far as the rings say
     * so by now: the records since {@link #begin()} are looked at too. {@link Long#MIN_VALUE} if it has not. Samples that
     * were taken before are of a program that is gone.
     */
    long lastExec();

    /**
     * Tells where a thread's stack ends, once a walk has reached its first frame. What is readable there belongs to
     * somebody else, and later samples of the thread need not have it. May be called from within a drain.
     */
    void stackEndsAt(int tid, long address);

    /** Waits until a drain is worth while. */
    Wait await(int timeoutMillis);

    /** Whether a ring is more than three quarters full: what waits there should wait no longer. */
    boolean isNearlyFull();

    /** Stops sampling; what is in the rings stays there. */
    void disable();

    /** Records the kernel had no room for. */
    long lost();

    /** How often the kernel stopped an event until the next tick. */
    long throttled();

    /** Records that contradicted themselves and were dropped. */
    long malformed();

    /** Samples of other processes, or taken twice, that were dropped. */
    long dropped();

    /** Whether time spent in the kernel is sampled too. */
    boolean seesKernel();

    /** What it is, in words for the ledger. */
    String description();

    @Override
    void close();

    /** Opens the collector of the whole system, filtered to one process. Needs CAP_PERFMON or paranoid at most 0. */
    static PerfCollector systemWide(LiveProcess target, PerfOptions options) throws PerfUnavailable, IOException {
        return SystemWide.open(target, options);
    }

    /** Opens the collector of a process's threads and of those they create. */
    static PerfCollector perThread(LiveProcess target, PerfOptions options) throws PerfUnavailable, IOException {
        return PerThread.open(target, options);
    }
}
