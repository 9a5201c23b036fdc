package mayfly.api;

import mayfly.api.event.Delivery;

/**
 * An event that a profiler can subscribe to. The subscribed events are the profiler's event mask; other events are
 * never delivered.
 *
 * <p>Some events are synchronous, some are asynchronous, and some can be either: see {@link Delivery}. A synchronous
 * event needs JVMTI, the JVM's own interface for tools, and the first profiler that subscribes to it makes the JVM
 * create an environment. On JDK 21 and later, the environment slows virtual threads for the rest of the process's life,
 * even after the profiler has been unloaded. On these JDKs a synchronous event is refused with
 * {@link Status#LASTING_COST_NOT_ACCEPTED}, unless the user who attached the profiler accepted the cost, or the JVM has
 * an environment of an earlier profiler. An event that can be either is then asynchronous, unless it is
 * {@linkplain #isPolled polled}.
 */
public enum Event {
    /**
     * Creation and end of platform threads: {@link Profiler#threadCreated} and {@link Profiler#threadDestroyed}, each
     * called on the thread itself. Virtual threads are not reported. Can be synchronous or asynchronous.
     *
     * <p>If the event is asynchronous, the callbacks are called on the host's thread soon afterwards. The host must
     * find a thread while it runs: a thread that ends within some milliseconds of its start may be counted as a lost
     * event instead. (Before JDK 25, the JVM's own compiler threads are counted too when they end.)
     */
    THREADS(0, true, true, true),
    /**
     * Loading and unloading of classes: {@link Profiler#classLoaded}, called on the loading thread after the class has
     * been prepared, and {@link Profiler#classUnloaded}, called on the host's thread soon after the pause of the
     * collection that unloaded the class. Array classes are not reported. Can be synchronous or asynchronous.
     *
     * <p>If the event is asynchronous, both are called on the host's thread soon afterwards. The JVM logs a class
     * before it prepares it, and only the class's name and loader are known of it then: its description has no module,
     * and a class that another thread has defined at the same time can be reported although the JVM drops it.
     */
    CLASS_LOADS(1, true, true, true),
    /**
     * Start and end of stop-the-world collections: {@link Profiler#garbageCollectionStarted} and
     * {@link Profiler#garbageCollectionFinished}, with their times, called on the host's thread soon afterwards. For
     * concurrent garbage collectors (ZGC, Shenandoah) only the pauses are reported, as by the JVM itself. Can be
     * synchronous or asynchronous. If it is asynchronous, {@link Profiler#garbageCollected} is called too, with the
     * cause, the kind and the sizes.
     */
    GARBAGE_COLLECTIONS(2, true, true, true),
    /**
     * Compilation of methods and release of their code: {@link Profiler#methodCompiled} and
     * {@link Profiler#methodUnloaded}, called on the host's thread soon afterwards. Synchronous, because only JVMTI
     * reports addresses; see {@link #COMPILATIONS}.
     */
    COMPILED_METHODS(3, true, true),
    /**
     * Loading and unloading of modules: {@link Profiler#moduleLoaded}, called on the loading thread when the first
     * class of a module is loaded, and {@link Profiler#moduleUnloaded}, called on the host's thread soon after the
     * pause of the collection that unloaded the module. The JVM does not report that the load of a module has started.
     * Can be synchronous or asynchronous.
     *
     * <p>If the event is asynchronous, both are called on the host's thread soon afterwards, the first one when the
     * module has been defined, even if no class of it is ever loaded. Unnamed modules are not reported. The log has no
     * object of a module, so a reported module has an id of its own: it never equals {@link ClassDescription#module} of
     * a class of the same module, nor the id of a synchronous report.
     */
    MODULE_LOADS(4, true, true, true),
    /**
     * Suspensions of all threads (safepoints): {@link Profiler#runtimeSuspended}, called on the host's thread soon
     * afterwards. Asynchronous.
     */
    SUSPENSIONS(5, true, false, true),
    /** Stacks may be walked: {@link ProfilerInfo#doStackSnapshot}. */
    STACK_SNAPSHOTS(6, true, false),
    /**
     * Exceptions, in Java code: {@link Profiler#exceptionThrown} and {@link Profiler#exceptionCaught}, called on the
     * thread that throws. The JVM offers them only at its start, so a profiler can subscribe to this event only in
     * {@link Profiler#initialize}; elsewhere it is refused with {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER}. The
     * subscription is immutable: changing it fails with {@link Status#IMMUTABLE_FLAGS}, and so does a detach.
     * Synchronous.
     *
     * <p>Each throw is reported once, by the rules of JVMTI: a {@code finally} block or the end of a
     * {@code synchronized} block catches an exception and throws it again, which is another throw. Exceptions in a
     * callback are not reported, nor are those that native code throws and catches; those of the profiler's own threads
     * are. If the manifest lists this event, the JVM retains the capability, even if the profiler does not subscribe.
     */
    EXCEPTIONS(7, false, true),
    /**
     * Compilation of methods, with the tier and the loop: {@link Profiler#compilationStarted} when a compiler begins,
     * and {@link Profiler#methodInstalled} when its code is used, called on the host's thread soon afterwards. A
     * compilation that fails has a start only, and so has code that the JVM discards because an assumption of the
     * compiler has become wrong meanwhile. Unlike {@link #COMPILED_METHODS}, this event has no addresses, and does not
     * report the release of code. Asynchronous.
     */
    COMPILATIONS(10, true, false, true),
    /**
     * Sampled allocations: {@link Profiler#allocationSampled}, called on the thread that allocates. The JVM does not
     * report each allocation: it chooses objects at random, one per
     * {@linkplain ProfilerInfo#setAllocationSamplingInterval sampling interval} on average. Each sample has the number
     * of bytes that it stands for, so that their sum estimates the bytes allocated
     * ({@link mayfly.api.event.AllocationSample}). Allocations of virtual threads are reported as well. Allocations in
     * a callback and those of the host's thread are not; those of the profiler's own threads are. Can be synchronous or
     * {@linkplain #isPolled polled}.
     *
     * <p>The callback can interrupt the JDK while it links an {@code invokedynamic} instruction, and must not link one
     * that concatenates strings: compile the profiler with {@code -XDstringConcat=inline}. Otherwise the application's
     * thread can get an {@link InternalError}.
     *
     * <p>One agent of a JVM at a time can sample allocations. If another one does, the synchronous event is refused
     * with {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER}. When the profiler unsubscribes or is detached, the JVM's
     * sampling interval becomes its initial one, 512 KiB, and other agents can sample again. An interval that an
     * earlier agent set is not restored, because the JVM does not report it.
     *
     * <p>If the event is polled, {@link Profiler#allocationObserved} is called instead, for each platform thread that
     * has allocated since the last look, with the number of bytes. There is no class and no stack. Bytes that a thread
     * allocates between the last look and its end are not reported, nor is a thread that starts and ends between two
     * looks. Bytes of a virtual thread are those of its carrier.
     */
    ALLOCATIONS(8, true, true, true),
    /**
     * Monitors: {@link Profiler#contentionStarted} and {@link Profiler#contentionFinished} when a thread waits to enter
     * a monitor that another thread owns, {@link Profiler#waitStarted} and {@link Profiler#waitFinished} for
     * {@link Object#wait()}, each called on the thread that waits, which may be a virtual thread. The end is reported
     * if the start was, in the same subscription. Monitors that a callback enters are not reported. Synchronous.
     *
     * <p>A thread first tries for some microseconds to enter the monitor without blocking; the JVM does not report
     * contention that ends by then. The time in which a notified thread waits to enter the monitor again is neither
     * contention nor part of the wait. Locks of {@code java.util.concurrent} are not monitors. The thread that owns
     * the monitor is not reported: {@link ProfilerInfo#monitorOwner} asks the JVM for it, which stops all threads to
     * determine it. Can be synchronous or
     * {@linkplain #isPolled polled}.
     *
     * <p>If the event is polled, {@link Profiler#contentionObserved} is called instead, for each platform thread that
     * is blocked at the moment of a look. Contention that begins and ends between two looks is not reported, and waits
     * in {@link Object#wait()} are not, but the time in which a notified thread waits to enter the monitor again is. A
     * virtual thread is reported as its carrier while it blocks the carrier, before JDK 24, and otherwise not.
     */
    MONITORS(9, true, true, true),
    /**
     * Calls of chosen methods: {@link Profiler#methodEntered} and {@link Profiler#methodLeft}, each called on the
     * calling thread, which may be a virtual thread. The methods are chosen by {@link ProfilerInfo#addProbes}, which
     * changes their code in the running program. {@link ProfilerInfo#removeProbes} changes it back, and so does a
     * detach. Calls of these methods by a callback are not reported; those by the profiler's own threads are.
     * Synchronous.
     *
     * <p>Before the first probe, the host initialises {@link java.time.zone.ZoneRulesProvider}, which reads the JDK's
     * time-zone data and may load time-zone providers of the program.
     */
    METHOD_PROBES(11, true, true),
    /**
     * The start of the load of a class: {@link Profiler#classLoadStarted}, with the name and the loader, when the JVM
     * has the class file and has not parsed it. It is called on the host's thread soon afterwards, because a callback
     * at that moment could itself need the class, which would fail for the program, too. Its {@link Stamp} has the time
     * and the number of the start. {@link Profiler#classLoaded} reports the end ({@link #CLASS_LOADS}); a load that
     * fails has no end. Hidden classes and array classes are not reported. Synchronous.
     *
     * <p>While the profiler is subscribed, the JVM also reads the class file of each class that it loads from its
     * archive of shared classes (CDS).
     */
    CLASS_LOAD_STARTS(12, true, true),
    /**
     * Uncommon traps: {@link Profiler#methodDeoptimized} when a thread leaves compiled code because an assumption of
     * the compiler was wrong, with the reason. It is called on the host's thread soon afterwards. Code that is
     * discarded without a trap is not reported: for example, because a class has been loaded that overrides one of its
     * methods. Asynchronous. Not available before JDK 20, whose log does not have it: {@link #since}.
     */
    DEOPTIMIZATIONS(13, true, false, true, 20),
    /**
     * Start and end of virtual threads: {@link Profiler#virtualThreadStarted} and {@link Profiler#virtualThreadEnded},
     * each called on the virtual thread itself, which is pinned to its carrier during the callback. A virtual thread
     * that a callback starts is reported like any other, so a callback of this event must not start one each time.
     * Mounts and unmounts are not reported: the JVM has no event for them. Synchronous, because the JVM's log does not
     * have virtual threads. Not available before JDK 21.
     */
    VIRTUAL_THREADS(14, true, true, false, 21);

    /** The oldest JDK in which a profiler can be hosted. */
    private static final int OLDEST = 17;

    private final int number;
    private final boolean afterAttach;
    private final boolean jvmti;
    private final boolean asynchronous;
    private final int since;

    Event(int number, boolean afterAttach, boolean jvmti) {
        this(number, afterAttach, jvmti, false);
    }

    Event(int number, boolean afterAttach, boolean jvmti, boolean asynchronous) {
        this(number, afterAttach, jvmti, asynchronous, OLDEST);
    }

    Event(int number, boolean afterAttach, boolean jvmti, boolean asynchronous, int since) {
        this.number = number;
        this.afterAttach = afterAttach;
        this.jvmti = jvmti;
        this.asynchronous = asynchronous;
        this.since = since;
    }

    /**
     * The stable number, from 0 to 31. It is passed between processes, and it is the position of the event's bit in a
     * mask. It does not depend on the order of the constants.
     */
    public int number() {
        return number;
    }

    /**
     * Returns the feature number of the first JDK that has this event. In an older one, a subscription to it is refused
     * with {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER}.
     */
    public int since() {
        return since;
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

    /** Returns true if this event needs JVMTI, the JVM's interface for tools: if it is always synchronous. */
    public boolean needsJvmti() {
        return jvmti && !asynchronous;
    }

    /**
     * Returns true if this event is a sample when it is {@linkplain Delivery#ASYNCHRONOUS asynchronous}: the host looks
     * at all platform threads at an interval ({@link ProfilerInfo#setPollingInterval}), and calls other callbacks than
     * for the synchronous event. It is asynchronous only if the profiler requests that
     * ({@link ProfilerInfo#setEventMask(java.util.Set, java.util.Set)}).
     */
    public boolean isPolled() {
        return this == ALLOCATIONS || this == MONITORS;
    }

    /**
     * Returns true if this event can be delivered in this way. {@link #STACK_SNAPSHOTS}, which permits calls and has no
     * callback, has neither.
     */
    public boolean canBe(Delivery delivery) {
        return delivery == Delivery.SYNCHRONOUS ? jvmti : asynchronous;
    }
}
