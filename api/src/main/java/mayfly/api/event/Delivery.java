package mayfly.api.event;

import mayfly.api.Event;
import mayfly.api.Stamp;

/** The ways in which the JVM reports an event to the host. {@link Event} states which of them an event has. */
public enum Delivery {
    /**
     * The JVM calls the host when the event occurs, by JVMTI. On JDK 21 and later, this slows virtual threads for the
     * rest of the process's life, even after the profiler has been unloaded.
     */
    SYNCHRONOUS,
    /**
     * The JVM writes a line to its log when the event occurs, and the host reads the line soon afterwards: within a
     * millisecond if a CPU is free. The program is not changed, and nothing lasts after the profiler has been unloaded.
     * Callbacks are called on the host's own thread, one at a time. A {@link Stamp} has the time at which the event
     * occurred. A class has an id of its own in these events, which no frame, sample or count has: {@code describe}
     * returns its name and loader, and other questions are refused with {@code UNKNOWN_ID}. The sequence numbers of
     * asynchronous events are in the order of the lines, and callbacks of one event may be called slightly out of that
     * order.
     *
     * <p>Two events are not in the log. The host looks at all platform threads at an interval instead, and reports
     * samples: {@link Event#isPolled}.
     */
    ASYNCHRONOUS
}
