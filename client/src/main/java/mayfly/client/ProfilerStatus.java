package mayfly.client;

import java.time.Duration;

/** The state of an attached profiler. Names are untrusted text. */
public sealed interface ProfilerStatus permits Results.Status {
    long pid();

    /** Returns the class of the profiler. */
    String profiler();

    /**
     * Returns its state: initializing, active, detaching, or pinned (detached, but something still retains a part of
     * it).
     */
    String state();

    /** Returns true if its detach takes longer than was announced. */
    boolean overdue();

    /** Returns the id of the JVM that it is in; empty until its initialisation begins. */
    String runtime();

    /** Returns the address at which the libjvm.so of its JVM is mapped, in hexadecimal with 0x. */
    String library();

    /** Returns the time since it was attached. */
    Duration attached();

    /** Returns true if the host uses JVMTI for it. */
    boolean jvmti();

    /** Returns true if its classes stay after the detach, because the JVM never unloads classes. */
    boolean remainingClasses();

    /** Returns the number of its event callbacks that are running now. */
    long callbacks();

    /** Returns the callback that has been running longest, in words; empty if none is running. */
    String longest();

    /** Returns the number of events that were dropped because they came too fast. */
    long lostEvents();

    /** Returns the number of its callbacks that threw an exception. */
    long thrown();

    /** Returns what retains it, if it is pinned; otherwise empty. */
    String pinnedBy();
}
