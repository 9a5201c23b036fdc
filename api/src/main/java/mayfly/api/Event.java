package mayfly.api;

/**
 * An event that a profiler can subscribe to. The subscribed events are the profiler's event mask; other events are
 * never delivered.
 *
 * <p>If an event needs JVMTI, the JVM's own interface for tools, the first profiler that subscribes to it makes the JVM
 * create an environment. On JDK 21 and later, the environment slows virtual threads for the rest of the process's life,
 * even after the profiler has been unloaded. On these JDKs such an event is refused with
 * {@link Status#LASTING_COST_NOT_ACCEPTED}, unless the user who attached the profiler accepted the cost.
 */
public enum Event {
    /**
     * Creation and end of platform threads: {@link Profiler#threadCreated} and {@link Profiler#threadDestroyed}, each
     * called on the thread itself. Virtual threads are not reported. Needs JVMTI.
     */
    THREADS(0, true, true),
    /**
     * Loading and unloading of classes: {@link Profiler#classLoaded}, called on the loading thread after the class has
     * been prepared, and {@link Profiler#classUnloaded}, called on the host's thread soon after the pause of the
     * collection that unloaded the class. Array classes are not reported. Needs JVMTI.
     */
    CLASS_LOADS(1, true, true),
    /**
     * Start and end of stop-the-world collections: {@link Profiler#garbageCollectionStarted} and
     * {@link Profiler#garbageCollectionFinished}, with their times, called on the host's thread soon afterwards. For
     * concurrent garbage collectors (ZGC, Shenandoah) only the pauses are reported, as by the JVM itself. Needs JVMTI.
     */
    GARBAGE_COLLECTIONS(2, true, true),
    /**
     * Compilation of methods and release of their code: {@link Profiler#methodCompiled} and
     * {@link Profiler#methodUnloaded}, called on the host's thread soon afterwards. Needs JVMTI.
     */
    COMPILED_METHODS(3, true, true),
    /**
     * Loading and unloading of modules: {@link Profiler#moduleLoaded}, called on the loading thread when the first
     * class of a module is loaded, and {@link Profiler#moduleUnloaded}, called on the host's thread soon after the
     * pause of the collection that unloaded the module. Needs JVMTI.
     */
    MODULE_LOADS(4, true, true),
    /**
     * Suspensions of all threads (safepoints): {@link Profiler#runtimeSuspended}, called on the host's thread soon
     * afterwards. The data comes from the JVM's own log, which the host enables. Does not need JVMTI.
     */
    SUSPENSIONS(5, true, false),
    /** Stacks may be walked: {@link ProfilerInfo#doStackSnapshot}. */
    STACK_SNAPSHOTS(6, true, false),
    /**
     * Exceptions, in Java code: {@link Profiler#exceptionThrown} and {@link Profiler#exceptionCaught}, called on the
     * thread that throws. The JVM offers them only at its start, so a profiler can subscribe to this event only in
     * {@link Profiler#initialize}; elsewhere it is refused with {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER}. The
     * subscription is immutable: changing it fails with {@link Status#IMMUTABLE_FLAGS}, and so does a detach. Needs
     * JVMTI.
     *
     * <p>Each throw is reported once, by the rules of JVMTI: a {@code finally} block or the end of a
     * {@code synchronized} block catches an exception and throws it again, which is another throw. Exceptions in a
     * callback are not reported, nor are those that native code throws and catches; those of the profiler's own threads
     * are. If the manifest lists this event, the JVM retains the capability, even if the profiler does not subscribe.
     */
    EXCEPTIONS(7, false, true);

    private final int number;
    private final boolean afterAttach;
    private final boolean jvmti;

    Event(int number, boolean afterAttach, boolean jvmti) {
        this.number = number;
        this.afterAttach = afterAttach;
        this.jvmti = jvmti;
    }

    /**
     * The stable number, from 0 to 31. It is passed between processes, and it is the position of the event's bit in a
     * mask. It does not depend on the order of the constants.
     */
    public int number() {
        return number;
    }

    /** Returns true if a profiler that was attached to a running JVM may subscribe to this event. */
    public boolean isAllowedAfterAttach() {
        return afterAttach;
    }

    /**
     * Returns true if a subscription to this event can be made only while the JVM starts, lasts until the JVM ends, and
     * prevents a detach.
     */
    public boolean isImmutable() {
        return !afterAttach;
    }

    /** Returns true if this event needs JVMTI, the JVM's interface for tools. */
    public boolean needsJvmti() {
        return jvmti;
    }
}
