package mayfly.api;

/**
 * What a profiler can subscribe to. The set in force is its event mask; an event that is not in it is never delivered.
 *
 * <p>Where an event needs JVMTI, the JVM's own interface for tools, the first profiler that asks for it makes the JVM create
 * an environment. From JDK 21 on that makes virtual threads slower for the rest of the process's life, also after the
 * profiler is gone; there such an event is refused with {@link Status#LASTING_COST_NOT_ACCEPTED} unless whoever attached the
 * profiler accepted it.
 */
public enum Event {
    /**
     * Platform threads are created and destroyed: {@link Profiler#threadCreated}, {@link Profiler#threadDestroyed}, each on
     * the thread itself. Virtual threads are not reported. Needs JVMTI.
     */
    THREADS(0, true, true),
    /**
     * Classes are loaded and unloaded: {@link Profiler#classLoaded} on the thread that loads, once the class is prepared;
     * {@link Profiler#classUnloaded} on the host's thread, soon after the pause of a collection by which it had gone. Array
     * classes are not reported. Needs JVMTI.
     */
    CLASS_LOADS(1, true, true),
    /**
     * Collections that stop the world begin and end: {@link Profiler#garbageCollectionStarted} and
     * {@link Profiler#garbageCollectionFinished}, with their times, on the host's thread soon afterwards. A concurrent
     * collector (ZGC, Shenandoah) reports its pauses only, as the JVM does. Needs JVMTI.
     */
    GARBAGE_COLLECTIONS(2, true, true),
    /**
     * Methods are compiled and their code is freed: {@link Profiler#methodCompiled}, {@link Profiler#methodUnloaded}, on the
     * host's thread soon afterwards. Needs JVMTI.
     */
    COMPILED_METHODS(3, true, true),
    /**
     * Modules come into use and go: {@link Profiler#moduleLoaded} when the first of a module's classes is loaded, on that
     * thread; {@link Profiler#moduleUnloaded} on the host's thread, soon after the pause of a collection by which it had gone.
     * Needs JVMTI.
     */
    MODULE_LOADS(4, true, true),
    /**
     * The JVM stops all threads (a safepoint) and lets them go: {@link Profiler#runtimeSuspended}, on the host's thread soon
     * afterwards. It is told what the JVM writes into its own log, which the host asks it to do. Needs no JVMTI.
     */
    SUSPENSIONS(5, true, false),
    /** Stacks may be walked: {@link ProfilerInfo#doStackSnapshot}. */
    STACK_SNAPSHOTS(6, true, false),
    /**
     * Exceptions are thrown. This event cannot be had: the JVM offers it only to agents that take it while the JVM starts, and a profiler
     * that comes with the JVM is initialised later. Subscribing to it is refused with
     * {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER}, and no callback exists for it.
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
     * The stable number, from 0 to 31. It crosses the process's border, and is the place of the event's bit in a mask.
     * It does not depend on the order of the constants.
     */
    public int number() {
        return number;
    }

    /** Whether a profiler that was attached to a running JVM may have it. */
    public boolean isAllowedAfterAttach() {
        return afterAttach;
    }

    /** Whether the JVM's interface for tools must be taken for it. */
    public boolean needsJvmti() {
        return jvmti;
    }
}
