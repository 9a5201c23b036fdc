package mayfly.api.event;

import java.util.Optional;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.ThreadId;

/** The monitor of the present callback, part of {@link mayfly.api.ProfilerInfo}. Its rules for calls apply here. */
public interface MonitorInfo {

    /**
     * Returns the thread that owns the monitor of the calling thread's callback: {@link Profiler#contentionStarted},
     * {@link Profiler#contentionFinished}, {@link Profiler#waitStarted} or {@link Profiler#waitFinished}. The JVM does
     * not report the owner with the event, so this is a second step: the owner may have left the monitor meanwhile, and
     * another thread may have entered it. In {@link Profiler#waitFinished} the calling thread has not entered the
     * monitor again. The JVM stops all threads to determine the owner.
     *
     * @return the owner; empty if no thread owns the monitor at that moment, and, from JDK 23 on, if a virtual thread
     *     owns it, because JVMTI does not name it
     * @throws ProfilerException {@link Status#FAILED} outside of such a callback, and for an error of JVMTI;
     *         {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} without a synchronous subscription to
     *         {@link Event#MONITORS}; {@link Status#PROFILER_DETACHING} once a detach has begun
     */
    Optional<ThreadId> monitorOwner();
}
