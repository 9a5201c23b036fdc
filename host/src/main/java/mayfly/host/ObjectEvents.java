package mayfly.host;

import java.time.Duration;
import java.util.Optional;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.Stamp;
import mayfly.api.Status;
import mayfly.api.ThreadId;
import mayfly.api.event.AllocationSample;
import mayfly.api.event.ContentionSample;
import mayfly.api.event.ObjectMonitor;
import mayfly.api.event.ThreadAllocation;
import mayfly.host.poll.Polling;
import mayfly.host.probe.ProbeCode;
import mayfly.host.probe.jvm.Probes;
import mayfly.wire.UpcallKind;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the events about objects: sampled allocations and monitors, on the threads that cause them, or polled on the
 * host's thread.
 */
final class ObjectEvents implements Polling.Source {
    private static final int MIN_SAMPLING_INTERVAL = 1 << 10;
    private static final int MAX_SAMPLING_INTERVAL = 1 << 30;
    /** The JVM's own interval when it starts. */
    private static final int DEFAULT_SAMPLING_INTERVAL = 512 << 10;

    private static final long MIN_POLLING_NANOS = 1_000_000;
    private static final long MAX_POLLING_SECONDS = 10;

    private final Profiler profiler;
    private final Events events;
    private final Ids ids;
    /** The host's own thread, which creates this object. */
    private final Thread own = Thread.currentThread();

    private volatile int samplingInterval = DEFAULT_SAMPLING_INTERVAL;
    private final Polling polling = new Polling(this);

    ObjectEvents(Profiler profiler, Events events, Ids ids) {
        this.profiler = profiler;
        this.events = events;
        this.ids = ids;
    }

    /** Sets the mean number of bytes between two sampled allocations. */
    synchronized void setSamplingInterval(long bytes) {
        if (bytes < MIN_SAMPLING_INTERVAL || bytes > MAX_SAMPLING_INTERVAL) {
            throw new ProfilerException(
                    Status.FAILED, "a sampling interval is from 1 KiB to 1 GiB, not " + bytes + " bytes");
        }
        int failed = Vm.setSamplingInterval((int) bytes);
        if (failed != 0) {
            throw new ProfilerException(Status.FAILED, "the sampling interval cannot be set: JVMTI error " + failed);
        }
        samplingInterval = (int) bytes;
    }

    /**
     * The host's own allocations are not reported: those of its thread, and those during a change of the tables that
     * this method uses.
     */
    void allocationSampled(Object object) {
        Thread thread = Thread.currentThread();
        if (isSynchronous(Event.ALLOCATIONS) && thread != own && !isInUse()) {
            long size = Vm.objectSize(object);
            profiler.allocationSampled(
                    Events.now(),
                    new AllocationSample(
                            ids.of(thread), ids.of(object.getClass()), size, estimatedBytes(size, samplingInterval)));
        }
    }

    private boolean isSynchronous(Event event) {
        return events.delivers(event) && !events.isLogged(event);
    }

    /** Returns true if the calling thread is changing a table or the probes, which may be why it allocates. */
    boolean isInUse() {
        Probes probes = events.probes();
        return ids.isInUse()
                || Thread.holdsLock(events.log().classes())
                || Thread.holdsLock(events.log().modules())
                || Thread.holdsLock(events.code())
                || probes != null && (Thread.holdsLock(probes) || ProbeCode.isInUse());
    }

    boolean isOwnLock(Object monitor) {
        Probes probes = events.probes();
        return monitor == this
                || monitor == events
                || monitor == Life.HOSTED
                || monitor == events.log().classes()
                || monitor == events.log().modules()
                || monitor == events.code()
                || ids.isOwnLock(monitor)
                || probes != null && (monitor == probes || ProbeCode.isOwnLock(monitor));
    }

    /** Returns the bytes that a sampled object stands for: its size divided by the probability of its choice. */
    static long estimatedBytes(long size, int interval) {
        return Math.round(size / (1 - Math.exp(-(double) size / interval)));
    }

    /**
     * The host's own locks, and its own thread, are not reported. The JVM reports the start, but no end, of a wait by a
     * thread that does not own the monitor.
     */
    void monitorStarted(int kind, Object object) {
        Thread thread = Thread.currentThread();
        boolean waits = kind == UpcallKind.WAIT_STARTED;
        if (!isSynchronous(Event.MONITORS)
                || thread == own
                || isOwnLock(object)
                || waits && !Thread.holdsLock(object)) {
            return;
        }
        Stamp at = Events.now();
        ThreadId id = ids.of(thread);
        ids.started(id, waits);
        if (waits) {
            profiler.waitStarted(at, id, monitor(object));
        } else {
            profiler.contentionStarted(at, id, monitor(object));
        }
    }

    void monitorFinished(int kind, Object object) {
        if (!isSynchronous(Event.MONITORS) || isOwnLock(object)) {
            return;
        }
        Stamp at = Events.now();
        ThreadId id = ids.of(Thread.currentThread());
        boolean waits = kind != UpcallKind.CONTENTION_FINISHED;
        if (!ids.finished(id, waits)) {
            return;
        }
        if (waits) {
            profiler.waitFinished(at, id, monitor(object), kind == UpcallKind.WAIT_TIMED_OUT);
        } else {
            profiler.contentionFinished(at, id, monitor(object));
        }
    }

    /** Returns the owner of the monitor of the calling thread's callback. */
    Optional<ThreadId> monitorOwner() {
        if (!events.has(Event.MONITORS) || events.isLogged(Event.MONITORS)) {
            throw new ProfilerException(
                    Status.UNSUPPORTED_FOR_ATTACHING_PROFILER,
                    "the owner of a monitor needs a synchronous subscription to " + Event.MONITORS);
        }
        int[] outcome = new int[1];
        Thread owner = Vm.monitorOwner(outcome);
        if (outcome[0] != 0) {
            throw new ProfilerException(
                    Status.FAILED,
                    outcome[0] < 0
                            ? "this thread runs no callback about a monitor"
                            : "the owner of the monitor is unknown: JVMTI error " + outcome[0]);
        }
        return owner == null ? Optional.empty() : Optional.of(ids.of(owner));
    }

    private ObjectMonitor monitor(Object object) {
        return new ObjectMonitor(ids.of(object.getClass()), System.identityHashCode(object));
    }

    /** Sets the interval of the looks at the threads. */
    void setPollingInterval(Duration interval) {
        // Not by Duration.toNanos, as in Host.requestDetach.
        long seconds = interval.getSeconds();
        boolean inRange = seconds >= 0
                && (seconds < MAX_POLLING_SECONDS || seconds == MAX_POLLING_SECONDS && interval.getNano() == 0);
        long nanos = inRange ? seconds * 1_000_000_000 + interval.getNano() : 0;
        if (nanos < MIN_POLLING_NANOS) {
            throw new ProfilerException(Status.FAILED, "a polling interval is from 1 ms to 10 s, not " + interval);
        }
        polling.setInterval(nanos);
    }

    /** Checks that these events can be polled in this JVM. */
    static void requirePolled(int bits) {
        if ((bits & Events.bit(Event.ALLOCATIONS)) != 0 && !Vm.countsAllocations()) {
            throw new ProfilerException(
                    Status.UNSUPPORTED_FOR_ATTACHING_PROFILER,
                    Event.ALLOCATIONS + " cannot be polled: this JVM has no management functions of a known version");
        }
    }

    /** Replaces the polled events. */
    void setPolled(int bits) {
        polling.set((bits & Events.bit(Event.MONITORS)) != 0, (bits & Events.bit(Event.ALLOCATIONS)) != 0);
    }

    void look() {
        polling.look();
    }

    @Override
    public void every(long nanos) {
        Vm.pollEvery(nanos);
    }

    @Override
    public Thread[] live() {
        return events.log().live();
    }

    @Override
    public void statuses(Thread[] threads, long[] numbers, long[] statuses) {
        Vm.statuses(threads, numbers, statuses);
    }

    @Override
    public boolean allocated(long[] numbers, long[] bytes) {
        return Vm.allocated(numbers, bytes);
    }

    /** The JVM's answers are objects of the program's heap. */
    @Override
    public void monitors(Thread[] live, Thread[] blocked, long[] numbers, @Nullable Object[] found, long[] values) {
        if (Stacks.hasRoomForStacks(blocked.length)) {
            Vm.monitors(live, blocked, numbers, found, values);
        }
    }

    @Override
    public boolean delivers(Event event) {
        return events.delivers(event) && events.isLogged(event);
    }

    @Override
    public ThreadId id(Thread thread) {
        return ids.of(thread);
    }

    @Override
    public ThreadId id(long number) {
        return new ThreadId(ids.runtime(), number);
    }

    @Override
    public void contention(long nanos, ContentionSample sample) {
        try {
            profiler.contentionObserved(Events.now(nanos), sample);
        } catch (Throwable e) {
            Vm.countThrown();
        }
    }

    @Override
    public void allocation(long nanos, ThreadAllocation allocation) {
        try {
            profiler.allocationObserved(Events.now(nanos), allocation);
        } catch (Throwable e) {
            Vm.countThrown();
        }
    }

    @Override
    public void lost() {
        Vm.countLost();
    }
}
