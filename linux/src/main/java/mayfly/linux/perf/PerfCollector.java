package mayfly.linux.perf;

import java.io.IOException;
import java.util.List;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.ErrnoException;

/**
 * Samples of one process from perf events. All calls, including close, must come from one thread.
 *
 * <p>The order is: open, {@link #enable()}, any number of {@link #await} and {@link #drain}, {@link #disable()}, a
 * last drain, close.
 */
public final class PerfCollector implements AutoCloseable {

    /** The reason why {@link #await} returned. */
    public enum Wait {
        /** The unread data of a ring has reached the wake-up threshold, a quarter to three quarters of the ring. */
        DATA,
        /** The time-out has expired. There may be records nevertheless. */
        TIMEOUT,
        /** The target has exited; the records in the rings can still be drained. */
        TARGET_GONE
    }

    private final List<PerfEvent> events;
    private final PerfRings rings;
    private final boolean seesKernel;
    private final boolean startsByItself;
    private final String description;

    /**
     * @param events the open events, which write to the rings
     * @param startsByItself true if the events start at the target's execve(2)
     */
    PerfCollector(
            List<PerfEvent> events, PerfRings rings, boolean seesKernel, boolean startsByItself, String description) {
        this.events = List.copyOf(events);
        this.rings = rings;
        this.seesKernel = seesKernel;
        this.startsByItself = startsByItself;
        this.description = description;
    }

    /**
     * Opens the collector of the whole system, filtered to one process. Needs CAP_PERFMON, or
     * kernel.perf_event_paranoid of at most 0.
     *
     * @throws PerfUnavailable if the events cannot be opened
     * @throws IOException if the kernel's settings cannot be read
     */
    public static PerfCollector systemWide(LiveProcess target, PerfOptions options)
            throws PerfUnavailable, IOException {
        return SystemWide.open(target, options);
    }

    /**
     * Opens the collector of a process's threads and of those that they create.
     *
     * @throws PerfUnavailable if the events cannot be opened
     * @throws IOException if the threads or the kernel's settings cannot be read
     */
    public static PerfCollector perThread(LiveProcess target, PerfOptions options) throws PerfUnavailable, IOException {
        return PerThread.open(target, options);
    }

    /**
     * Opens a collector that delivers {@link PerfRecords#switched} for a process's threads and for those that they
     * create, and no samples. With kernel.perf_event_paranoid up to 2, the kernel permits this to every user for a
     * process of the same user.
     *
     * @param options only the ring and the start are used
     * @throws PerfUnavailable if the events cannot be opened
     * @throws IOException if the threads or the kernel's settings cannot be read
     */
    public static PerfCollector switches(LiveProcess target, PerfOptions options) throws PerfUnavailable, IOException {
        return PerThread.openSwitches(target, options);
    }

    /**
     * Starts sampling. Does nothing if the events start by themselves at execve(2).
     *
     * @throws IOException if the kernel does not start an event
     */
    public void enable() throws IOException {
        if (startsByItself) {
            return;
        }
        for (PerfEvent event : events) {
            event.enable();
        }
    }

    /**
     * Marks the records present now: the next drain delivers these and no later ones. Anything read from the target
     * between the two calls is therefore newer than the records.
     */
    public void begin() {
        rings.begin();
    }

    /**
     * Delivers the records present at {@link #begin()}, or else those present now. Returns the number of samples among
     * them.
     */
    public int drain(PerfRecords records) {
        return rings.drain(records);
    }

    /**
     * Returns the time of the target's last execve(2) whose record has reached the rings, CLOCK_MONOTONIC in ns;
     * records since {@link #begin()} are included. {@link Long#MIN_VALUE} if there was none. Samples taken earlier
     * belong to the previous program.
     */
    public long lastExec() {
        return rings.lastExec();
    }

    /**
     * Reports the end of a thread's stack, found by a complete walk, so that later samples of the thread do not
     * include memory beyond it. May be called during a drain.
     */
    public void stackEndsAt(int tid, long address) {
        rings.stackEndsAt(tid, address);
    }

    /** Waits until there is enough data for a drain, at most for the given time. */
    public Wait await(int timeoutMillis) {
        return rings.await(timeoutMillis);
    }

    /** Returns true if a ring is more than three quarters full and should be drained now. */
    public boolean isNearlyFull() {
        return rings.isNearlyFull();
    }

    /** Returns the time for which the rings have room for all samples without a drain if the CPUs are busy, ns. */
    public long holdsNanos(PerfOptions options) {
        return rings.holdNanos(options);
    }

    /** Stops sampling; the records in the rings remain. */
    public void disable() {
        for (PerfEvent event : events) {
            try {
                event.disable();
            } catch (ErrnoException e) {
                // An event that cannot be disabled ends when it is closed.
                continue;
            }
        }
    }

    /** Returns the number of records for which the kernel had no room. */
    public long lost() {
        return rings.lost();
    }

    /** Returns the number of times that the kernel stopped an event until the next tick. */
    public long throttled() {
        return rings.throttled();
    }

    /** Returns the number of inconsistent records, which were dropped. */
    public long malformed() {
        return rings.malformed();
    }

    /** Returns the number of dropped samples: those of other processes, and those that were taken twice. */
    public long dropped() {
        return rings.dropped();
    }

    /** Returns true if time spent in the kernel is sampled too. */
    public boolean seesKernel() {
        return seesKernel;
    }

    /** Returns the name of this collector for the ledger. */
    public String description() {
        return description;
    }

    @Override
    public void close() {
        rings.close();
        events.forEach(PerfEvent::close);
    }
}
