package mayfly.host;

import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.Stamp;
import mayfly.api.Status;
import mayfly.api.ThreadId;
import mayfly.api.event.AllocationSample;
import mayfly.api.event.ObjectMonitor;
import mayfly.host.probe.ProbeCode;
import mayfly.host.probe.jvm.Probes;
import mayfly.wire.UpcallKind;

/** Delivers the events about objects, on the threads that cause them: sampled allocations and monitors. */
final class ObjectEvents {
    private static final int MIN_SAMPLING_INTERVAL = 1 << 10;
    private static final int MAX_SAMPLING_INTERVAL = 1 << 30;
    /** The JVM's own interval when it starts. */
    private static final int DEFAULT_SAMPLING_INTERVAL = 512 << 10;

    private final Profiler profiler;
    private final Events events;
    private final Ids ids;
    /** The host's own thread, which creates this object. */
    private final Thread own = Thread.currentThread();

    private volatile int samplingInterval = DEFAULT_SAMPLING_INTERVAL;

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
        if (events.delivers(Event.ALLOCATIONS) && thread != own && !isInUse()) {
            long size = Vm.objectSize(object);
            profiler.allocationSampled(
                    Events.now(),
                    new AllocationSample(
                            ids.of(thread), ids.of(object.getClass()), size, estimatedBytes(size, samplingInterval)));
        }
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
        if (!events.delivers(Event.MONITORS)
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
        if (!events.delivers(Event.MONITORS) || isOwnLock(object)) {
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

    private ObjectMonitor monitor(Object object) {
        return new ObjectMonitor(ids.of(object.getClass()), System.identityHashCode(object));
    }
}
