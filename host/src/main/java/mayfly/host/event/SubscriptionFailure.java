package mayfly.host.event;

import mayfly.api.Event;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.wire.EventError;

/** The reasons for which the library refuses a subscription to events, as the profiler gets them. */
public final class SubscriptionFailure {
    /** JVMTI's error for an unavailable capability: another agent holds it, or it was available only at launch. */
    private static final int NOT_AVAILABLE = 98;

    private SubscriptionFailure() {}

    /**
     * Checks that JVMTI has been prepared for events.
     *
     * @param failed the result: 0, a number of {@link EventError}, or an error of JNI or JVMTI
     * @throws ProfilerException if the result is not 0
     */
    public static void throwIfNotPrepared(int failed) {
        if (failed == EventError.NEVER_COLLECTS) {
            throw unsupported("an event that needs JVMTI is not available in a JVM that never collects: JVMTI could not"
                    + " be released");
        }
        if (failed == EventError.SAMPLING_HELD) {
            throw unsupported(Event.ALLOCATIONS + " are not available: another agent samples the allocations of this"
                    + " JVM, which permits one at a time");
        }
        if (failed == NOT_AVAILABLE) {
            throw unsupported("JVMTI does not offer a capability that these events need: another agent may hold it");
        }
        if (failed != 0) {
            throw new ProfilerException(Status.FAILED, "the events cannot be prepared: JNI or JVMTI error " + failed);
        }
    }

    /**
     * Checks that events have been enabled.
     *
     * @param failed the result: 0, a number of {@link EventError}, or an error of JVMTI
     * @param fromLog the names of the events that come from the JVM's log
     * @throws ProfilerException if the result is not 0
     */
    public static void throwIfNotEnabled(int failed, String fromLog) {
        if (failed == EventError.LISTENER_OTHERS) {
            throw unsupported(fromLog + " need the attach listener, which in this process belongs to another JVM");
        }
        if (failed == EventError.LISTENER_SILENT) {
            throw unsupported(fromLog + " are not available: the JVM's attach listener did not answer or refused the"
                    + " log, or the process limits the size of files");
        }
        if (failed != 0) {
            throw new ProfilerException(Status.FAILED, "the events cannot be enabled: JVMTI error " + failed);
        }
    }

    private static ProfilerException unsupported(String reason) {
        return new ProfilerException(Status.UNSUPPORTED_FOR_ATTACHING_PROFILER, reason);
    }
}
