package mayfly.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import mayfly.api.code.ClassStructure;
import mayfly.api.code.FieldDescription;
import mayfly.api.code.LineNumber;
import mayfly.api.code.LoaderDescription;
import mayfly.api.code.LoaderId;
import mayfly.api.code.MethodDescription;
import mayfly.api.code.MethodId;
import mayfly.api.event.Delivery;
import mayfly.api.heap.ClassCount;
import mayfly.api.heap.CollectionOutcome;
import mayfly.api.heap.ReferenceCount;
import mayfly.api.heap.ReferenceStep;
import mayfly.api.probe.AddedProbes;
import mayfly.api.probe.ProbedMethod;
import mayfly.api.probe.RemovedProbes;
import mayfly.api.thread.Locks;
import mayfly.api.thread.ThreadSnapshot;

/**
 * The runtime as seen by a profiler. Methods may be called from any thread and any callback, unless stated otherwise.
 *
 * <p>Every method except {@link #runtimeInformation} throws a {@link ProfilerException} with
 * {@link Status#PROFILER_DETACHING} once a detach has begun. An id of another runtime is refused with
 * {@link Status#UNKNOWN_ID}. All methods run Java code, so they may allocate and thus cause a collection; do not call
 * one while you hold a lock that a callback takes. The host holds no lock of its own during a callback.
 *
 * <p>The calls of the first table can be made only by a profiler that the JVM starts with: {@link Profiler#initialize}.
 * If an attached profiler makes them, they fail at once with {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER}, and
 * change nothing.
 *
 * <table>
 * <caption>Calls that only a profiler loaded at launch may make</caption>
 * <tr><th>call</th><th>reason</th></tr>
 * <tr><td>{@link #setEventMask} with {@link Event#EXCEPTIONS}</td><td>the JVM offers the event only at its start, and
 * the subscription makes a detach impossible</td></tr>
 * <tr><td>{@link #setExceptionsReported}</td><td>it needs that subscription</td></tr>
 * </table>
 *
 * <p>The calls of the second table fail in the same way under a condition. The first of them would make a detach
 * impossible, because the JVM would never release JVMTI.
 *
 * <table>
 * <caption>Calls that are refused under a condition</caption>
 * <tr><th>call</th><th>refused</th></tr>
 * <tr><td>{@link #setEventMask} with an event that needs JVMTI</td><td>in a JVM that never collects</td></tr>
 * <tr><td>{@link #setEventMask} with any event</td><td>if the manifest does not list it</td></tr>
 * <tr><td>{@link #setEventMask} with an asynchronous event</td><td>if the attach listener belongs to another JVM of
 * the process or does not answer, or the process limits the size of files; a polled event, if the JVM does not describe
 * its threads as expected</td></tr>
 * <tr><td>{@link #setEventMask} with an event that needs JVMTI</td><td>if another agent holds the capability</td></tr>
 * <tr><td>{@link #enumerateClasses}</td><td>without {@link Event#CLASS_LOADS}</td></tr>
 * <tr><td>{@link #enumerateModules}</td><td>without {@link Event#MODULE_LOADS}</td></tr>
 * <tr><td>{@link #enumerateCompiledMethods}, {@link #methodAt}</td><td>without {@link Event#COMPILED_METHODS}</td></tr>
 * <tr><td>{@code doStackSnapshot}, {@link #walkAllThreads}</td><td>without {@link Event#STACK_SNAPSHOTS}</td></tr>
 * <tr><td>{@link #walkAllThreads(HiddenFrames, Locks)} with locks</td><td>if the JVM's management cannot state them
 * without harm</td></tr>
 * <tr><td>{@link #addProbes}, {@link #removeProbes}, {@link #setProbesReporting}, {@link #probes},
 * {@link #framesOfReplacedCode}</td><td>without {@link Event#METHOD_PROBES}</td></tr>
 * <tr><td>{@link #methods}, {@link #fields}, {@link #describe(MethodId)}, {@link #lines}</td><td>in a JVM
 * that describes its classes in an unknown way</td></tr>
 * </table>
 */
public interface ProfilerInfo {

    /**
     * Returns the runtime of this profiler. Succeeds at any time, also during initialisation and after a detach has
     * begun.
     */
    RuntimeInformation runtimeInformation();

    /**
     * Returns the subscribed events; during initialisation, those that will be enabled.
     *
     * @throws ProfilerException {@link Status#PROFILER_DETACHING} once a detach has begun
     */
    Set<Event> eventMask();

    /**
     * Replaces the subscribed events as {@link #setEventMask(Set, Set)}. An event that can be synchronous or
     * asynchronous is synchronous if that costs nothing more: before JDK 21, if the user accepted the lasting cost, or
     * if the JVM has an environment of an earlier profiler. Otherwise it is asynchronous. A
     * {@linkplain Event#isPolled polled} event is not chosen: it has other callbacks.
     *
     * @throws ProfilerException as {@link #setEventMask(Set, Set)}
     */
    void setEventMask(Set<Event> events);

    /**
     * Replaces the subscribed events. During initialisation this takes effect when the initialisation has returned,
     * otherwise at once: no callback of a removed event begins afterwards, but callbacks that have begun may return
     * later; callbacks of a new event may begin before this method returns.
     *
     * @throws ProfilerException {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} for an event that is not permitted to
     *         an attached profiler, that this JVM does not offer now, or that the manifest does not list;
     *         {@link Status#LASTING_COST_NOT_ACCEPTED} if an event needs JVMTI and its cost was not accepted;
     *         {@link Status#FAILED} for an event in the set for which it {@linkplain Event#canBe cannot be} delivered,
     *         for an event in both sets, and for any other error of JNI or JVMTI;
     *         {@link Status#IRREVERSIBLE_INSTRUMENTATION} if {@link Event#METHOD_PROBES} is removed and its probes
     *         cannot be; in each case the subscribed events are unchanged
     * @param synchronous events that are {@linkplain Delivery#SYNCHRONOUS synchronous}, and
     *     {@link Event#STACK_SNAPSHOTS}
     * @param asynchronous events that are {@linkplain Delivery#ASYNCHRONOUS asynchronous}
     */
    void setEventMask(Set<Event> synchronous, Set<Event> asynchronous);

    /**
     * Returns the subscribed events that are asynchronous; during initialisation, those that will be.
     *
     * @throws ProfilerException {@link Status#PROFILER_DETACHING} once a detach has begun
     */
    Set<Event> asynchronousEvents();

    /**
     * Sets the mean number of bytes between two sampled allocations of a thread ({@link Event#ALLOCATIONS}); initially
     * 512 KiB. May be called before and during a subscription. A smaller interval gives more samples, each with the
     * cost of a callback. Every thread obeys a new interval after its next sample.
     *
     * @param bytes from 1 KiB to 1 GiB
     * @throws ProfilerException {@link Status#FAILED} if the number is out of range, or JVMTI refuses it;
     *         {@link Status#PROFILER_DETACHING} once a detach has begun; in each case the interval is unchanged
     */
    void setAllocationSamplingInterval(long bytes);

    /**
     * Sets the interval at which the host looks at all platform threads, for {@linkplain Event#isPolled polled} events;
     * initially 10 ms. May be called before and during a subscription. One look serves all polled events. It takes CPU
     * time in proportion to the number of threads (docs/events.md), on the host's thread: if a callback or a look takes
     * longer than the interval, the next look is late, and its samples stand for more time.
     *
     * @param interval from 1 ms to 10 s
     * @throws ProfilerException {@link Status#FAILED} if the interval is out of range;
     *         {@link Status#PROFILER_DETACHING} once a detach has begun; in each case the interval is unchanged
     */
    void setPollingInterval(Duration interval);

    /**
     * Stops the reports of exceptions ({@link Event#EXCEPTIONS}), or starts them again; initially they are on. May be
     * called at any time, also during initialisation. The subscription remains, and with it everything that it
     * prevents. While the reports are off, the JVM does not call the host.
     *
     * <p>If this stops them, no callback for an exception begins afterwards, but callbacks that have begun may return
     * later. If it starts them, callbacks may begin before it returns, and {@link Profiler#exceptionCaught} may be
     * called for an exception that was thrown before.
     *
     * @throws ProfilerException {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} without a subscription to that event,
     *         which only a profiler that the JVM starts with can have; {@link Status#FAILED} for an error of JVMTI;
     *         {@link Status#PROFILER_DETACHING} once a detach has begun. In each case nothing has changed
     */
    void setExceptionsReported(boolean reported);

    /**
     * Returns the limitations of the subscribed events (during initialisation, of those that will be enabled) with
     * this JVM's garbage collector, one sentence each. Empty if the events report everything that they promise.
     *
     * @throws ProfilerException {@link Status#PROFILER_DETACHING} once a detach has begun
     */
    List<String> notReported();

    /**
     * Returns the live platform threads, except the host's own thread, on which some callbacks run. They include the
     * JDK's threads and, if it runs, the JVM's attach listener ({@code Attach Listener}), which an attach starts.
     *
     * @throws ProfilerException {@link Status#NOT_YET_INITIALIZED} before {@link Profiler#profilerAttachComplete}
     */
    Enumerated<ThreadId> enumerateThreads();

    /**
     * Returns the classes that are loaded and prepared, except array classes. Needs {@link Event#CLASS_LOADS}; if that
     * event is asynchronous, classes that are not prepared are included. Takes some milliseconds.
     *
     * @throws ProfilerException {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} without that event;
     *         {@link Status#NOT_YET_INITIALIZED} before {@link Profiler#profilerAttachComplete}
     */
    Enumerated<ClassId> enumerateClasses();

    /**
     * Returns the modules of the loaded classes. Needs {@link Event#MODULE_LOADS}. If that event is asynchronous,
     * returns the modules of the boot layer and those that have been defined since the subscription: the JVM lists
     * unnamed modules, and modules that were defined in other layers before, only by JVMTI.
     *
     * @throws ProfilerException as {@link #enumerateClasses}
     */
    Enumerated<ModuleId> enumerateModules();

    /**
     * Returns the compiled methods. Needs {@link Event#COMPILED_METHODS}.
     *
     * @throws ProfilerException as {@link #enumerateClasses}; {@link Status#FAILED} if another thread is executing this
     *         method, or if the program's heap has no room for the methods
     */
    Enumerated<CompiledMethod> enumerateCompiledMethods();

    /**
     * Returns the method whose compiled code contains an address; empty for any other address, such as one in the
     * interpreter, a stub or native code. The stubs that follow the code of a method are unknown, and the JVM's
     * intrinsics of method handles may have the name of one another. Needs {@link Event#COMPILED_METHODS}. The first
     * call enumerates the compiled methods, as {@link #enumerateCompiledMethods}; afterwards the host keeps their
     * addresses up to date in the program's heap, by the same reports that the profiler receives. A report arrives soon
     * after the code was installed or released. If reports were lost ({@code mayfly status}), addresses may be unknown
     * or belong to released code. The result lacks the inlined methods: {@code inlined} is empty, and
     * {@code allInlined} is false.
     *
     * @throws ProfilerException as {@link #enumerateCompiledMethods}
     */
    Optional<CompiledMethod> methodAt(long address);

    /**
     * Returns the id of the calling thread. Works even if no event has reported the thread.
     *
     * @throws ProfilerException {@link Status#PROFILER_DETACHING} once a detach has begun
     */
    ThreadId currentThread();

    /**
     * Describes a thread.
     *
     * @throws ProfilerException {@link Status#THREAD_GONE} if it has ended; {@link Status#UNKNOWN_ID} if the id
     *         belongs to another runtime
     */
    ThreadDescription describe(ThreadId thread);

    /**
     * Describes a class.
     *
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if it has been unloaded, or the id belongs to another
     *         runtime
     */
    ClassDescription describe(ClassId type);

    /**
     * Describes a module.
     *
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if it has been unloaded, or the id belongs to another
     *         runtime
     */
    ModuleDescription describe(ModuleId module);

    /**
     * Describes a class loader. No code of the loader runs.
     *
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if it has been unloaded, or the id belongs to another
     *         runtime
     */
    LoaderDescription describe(LoaderId loader);

    /**
     * Describes a method.
     *
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if its class has been unloaded or has no such method, or the
     *         id belongs to another runtime; {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} as for {@link #methods}
     */
    MethodDescription describe(MethodId method);

    /**
     * Returns the superclass, the interfaces and the component type of a class, and the size of its instances. Neither
     * initialises nor links the class.
     *
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if it has been unloaded, or the id belongs to another
     *         runtime
     */
    ClassStructure structure(ClassId type);

    /**
     * Returns the methods that a class declares, with its constructors and its class initializer, in no particular
     * order; none for an array class and a primitive type. They are read from the JVM's description of the class, so no
     * class that a descriptor names is loaded, no code of the program runs, and no cache or method id is left with the
     * class. Takes 10 to 20 µs for each method.
     *
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if it has been unloaded, or the id belongs to another
     *         runtime; {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} if this JVM describes its classes in an
     *         unknown way
     */
    List<MethodDescription> methods(ClassId type);

    /**
     * Returns the fields that a class declares, static ones included, as {@link #methods}.
     *
     * @throws ProfilerException as {@link #methods}
     */
    List<FieldDescription> fields(ClassId type);

    /**
     * Returns the line number table of a method, in its order; empty if the method has no code, or its class file no
     * line numbers. It is read from the JVM's description of the class, as {@link #methods}, and takes as long.
     *
     * @throws ProfilerException as {@link #describe(MethodId)}
     */
    List<LineNumber> lines(MethodId method);

    /**
     * Returns the bytecodes of a method as in its class file; empty if the method has no code. An index in them refers
     * to the constant pool of the class. If an agent has redefined the class, they are the present ones.
     *
     * <p>Needs JVMTI, even if no subscribed event does, because the JVM keeps the bytecodes in another form. It leaves
     * an id of some bytes for each method of the class, and keeps what JVMTI keeps (docs/footprint.md).
     *
     * @throws ProfilerException as {@link #describe(MethodId)}; {@link Status#LASTING_COST_NOT_ACCEPTED} on JDK 21 and
     *         later if JVMTI is not in use and its cost was not accepted; {@link Status#NOT_YET_INITIALIZED} before
     *         {@link Profiler#profilerAttachComplete}; {@link Status#FAILED} if the class has not been linked
     */
    byte[] bytecodes(MethodId method);

    /**
     * Walks the calling thread as {@link #doStackSnapshot(HiddenFrames, StackSnapshotCallback, Object)}, without
     * hidden frames.
     */
    default <T> void doStackSnapshot(StackSnapshotCallback<T> callback, T data) {
        doStackSnapshot(HiddenFrames.OMIT, callback, data);
    }

    /**
     * Walks the stack of the calling thread. Needs {@link Event#STACK_SNAPSHOTS}. The whole stack is reported,
     * regardless of its depth, except for the frames of the profiler and the host, and for JDK frames called by these.
     * In a callback, the first frame is the frame of the program or of the JDK that was executing when the callback
     * was called. A thread that runs only the profiler has no frames except those of the JDK that started it.
     *
     * @param hidden whether to report frames that the JVM omits from an exception's stack trace
     * @param callback receives each frame, leaf first
     * @param data passed to the callback
     * @throws ProfilerException {@link Status#STACK_SNAPSHOT_ABORTED} if the callback stopped the walk;
     *         {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} without the event; {@link Status#NOT_YET_INITIALIZED}
     *         before {@link Profiler#profilerAttachComplete}
     */
    <T> void doStackSnapshot(HiddenFrames hidden, StackSnapshotCallback<T> callback, T data);

    /**
     * Walks a thread as {@link #doStackSnapshot(ThreadId, HiddenFrames, StackSnapshotCallback, Object)}, without
     * hidden frames.
     */
    default <T> void doStackSnapshot(ThreadId thread, StackSnapshotCallback<T> callback, T data) {
        doStackSnapshot(thread, HiddenFrames.OMIT, callback, data);
    }

    /**
     * Walks the stack of another thread. The JVM stops the thread at its next safepoint poll, copies its stack and
     * resumes it before the first frame is reported. Before JDK 21, and for a stack of more than 1,024 frames
     * ({@code -XX:MaxJavaStackTraceDepth}) or with hidden frames, it stops all threads while it copies the stack. A
     * thread without Java frames has no frames to report. The same frames are omitted as in a walk of the calling
     * thread.
     *
     * @param thread the thread
     * @param hidden whether to report frames that the JVM omits from an exception's stack trace
     * @param callback receives each frame, leaf first
     * @param data passed to the callback
     * @throws ProfilerException as for the calling thread; {@link Status#THREAD_GONE} if the thread has ended;
     *         {@link Status#UNKNOWN_ID} if the id belongs to another runtime; {@link Status#STACK_SNAPSHOT_TRUNCATED},
     *         after the last frame was reported, if the stack is deeper and the program's heap has no room for the
     *         rest
     */
    <T> void doStackSnapshot(ThreadId thread, HiddenFrames hidden, StackSnapshotCallback<T> callback, T data);

    /** Walks all threads as {@link #walkAllThreads(HiddenFrames, Locks)}, without locks. */
    default Enumerated<ThreadSnapshot> walkAllThreads(HiddenFrames hidden) {
        return walkAllThreads(hidden, Locks.OMIT);
    }

    /**
     * Walks all live platform threads at one moment, except the host's own, with their states and CPU times. Needs
     * {@link Event#STACK_SNAPSHOTS}. The JVM stops all threads while it copies the stacks: some microseconds for each
     * frame. The JVM's copy and the frames need memory of the program's heap, some 150 bytes for each frame. With locks
     * the stop is longer: the JVM also examines the monitors of each frame, and searches the heap for synchronizers.
     *
     * @param hidden whether to report frames that the JVM omits from an exception's stack trace
     * @param locks the locks to report
     * @throws ProfilerException {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} without the event, and if locks are
     *         to be reported and the JVM cannot state them: the runtime has no module {@code java.management}, the
     *         management functions of the JVM have an unknown version, the library is not loaded with
     *         {@link Locks#SHOW_IF_LOADED}, or, before JDK 19, the class of a live thread overrides
     *         {@link Thread#getId}, which the management would call;
     *         {@link Status#NOT_YET_INITIALIZED} before {@link Profiler#profilerAttachComplete}; {@link Status#FAILED}
     *         if the program's heap has less than 16 MiB of room, or the JVM does not show the stacks
     */
    Enumerated<ThreadSnapshot> walkAllThreads(HiddenFrames hidden, Locks locks);

    /**
     * Requests a garbage collection of the whole heap and waits for it, as {@link System#gc}, also with
     * {@code -XX:+DisableExplicitGC}. The duration is proportional to the live heap; all threads are stopped meanwhile,
     * unless the garbage collector works concurrently. Do not call it from a callback whose thread may hold locks of
     * the program.
     *
     * @throws ProfilerException {@link Status#NOT_YET_INITIALIZED} before {@link Profiler#profilerAttachComplete};
     *         {@link Status#FAILED} if, with {@code -XX:+DisableExplicitGC}, the attach listener does not answer within
     *         five seconds; the collection may still take place
     */
    CollectionOutcome forceGarbageCollection();

    /**
     * Counts the live objects of each class, with array classes, by the JVM's own command ({@code jcmd PID
     * GC.class_histogram}). The JVM collects first, except Epsilon, and then visits every object while all threads are
     * stopped: the duration is proportional to the heap. A hidden class and a class that has no instances have no id
     * here; without a subscription that needs JVMTI, only classes in {@code java} and arrays of them or of primitive
     * types have one.
     *
     * @throws ProfilerException {@link Status#NOT_YET_INITIALIZED} before {@link Profiler#profilerAttachComplete};
     *         {@link Status#FAILED} if the attach listener belongs to another JVM of the process, does not answer
     *         within a minute, or answers with more than 16 MiB or inconsistently
     */
    Enumerated<ClassCount> classHistogram();

    /**
     * Counts the references of all reachable objects, by the class of the referring object, the class of the object
     * referred to, and the kind of the reference. The referent of a weak reference counts as a field. The
     * objects of the profiler and of the host are counted too.
     *
     * <p>Needs JVMTI, even if no subscribed event does. One visit of the heap stops all threads: its duration is
     * proportional to the number of references. It keeps what JVMTI keeps (docs/footprint.md).
     *
     * @param longest the longest CPU time of the visit, from 1 ms to 1 minute; the pause may be longer if the machine
     *     is busy
     * @throws ProfilerException {@link Status#LASTING_COST_NOT_ACCEPTED} on JDK 21 and later if JVMTI is not in use and
     *         its cost was not accepted; {@link Status#NOT_YET_INITIALIZED} before
     *         {@link Profiler#profilerAttachComplete}; {@link Status#FAILED} if the time is out of range or too short,
     *         if there are more than 131,072 different counts, or if there is no memory for them
     */
    Enumerated<ReferenceCount> countReferences(Duration longest);

    /**
     * Searches for the path of strong references from a root of the garbage collector to the class loader of a class:
     * the reason why the class is still loaded. For a class of the boot loader, the path leads to the class itself. Of
     * several paths, one with the fewest references is returned. A weak or a phantom reference is not part of a path; a
     * soft reference is.
     *
     * <p>The search needs JVMTI, even if no subscribed event does. It visits the heap once for each reference of the
     * path, at most 24 times, and stops all threads during each visit, for at most 150 ms. It keeps what JVMTI keeps
     * (docs/footprint.md), and an id of some bytes for each static field of the classes on the path and for each method
     * on a stack.
     *
     * @return the steps from the root to the loader; empty if no strong reference to it was found within 24 steps: the
     *         next collection may unload the class
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if the class has been unloaded, or the id belongs to another
     *         runtime; {@link Status#LASTING_COST_NOT_ACCEPTED} on JDK 21 and later if JVMTI is not in use and its cost
     *         was not accepted; {@link Status#NOT_YET_INITIALIZED} before {@link Profiler#profilerAttachComplete};
     *         {@link Status#FAILED} if more than 512 MiB of the heap are in use, or a visit takes too long
     */
    Optional<List<ReferenceStep>> pathToLoader(ClassId type);

    /**
     * Sets the interval at which {@link Profiler#timer} is called on the host's own thread, so that a profiler that
     * samples needs no thread of its own. The first call follows after one interval; during initialisation, when the
     * initialisation has returned. A new interval replaces the previous one. The timer ends with the detach. It needs
     * no event and no JVMTI.
     *
     * <p>The calls take turns with commands, events and other callbacks of that thread: a command waits for at most one
     * of them. If the thread is late, the calls that are due become one.
     *
     * @param interval from 1 ms to 1 hour, or zero, which switches the timer off: a call that has begun may still
     *         return later
     * @throws ProfilerException {@link Status#FAILED} if the interval is out of range;
     *         {@link Status#PROFILER_DETACHING} once a detach has begun
     */
    void every(Duration interval);

    /**
     * Adds a probe to each method that matches a pattern, in the classes that are loaded and linked now: the JVM
     * changes the code of their classes, and from then on calls {@link Profiler#methodEntered} and {@link
     * Profiler#methodLeft} for each call of the method that begins. A call that has begun before continues with the
     * code that it has, and is not reported. Needs {@link Event#METHOD_PROBES}. A profiler has at most 1,000 probes.
     *
     * <p>A pattern is {@code CLASS.METHOD}, or {@code CLASS.METHODDESCRIPTOR} with a JVM descriptor such as
     * {@code (I)V}. {@code *} stands for any characters in the name of a class or a method: {@code com.example.*.get*}.
     * Methods that cannot have a probe are {@linkplain mayfly.api.probe.ProbeRefusal refused}, and the others are
     * probed. If no method matches, nothing changes.
     *
     * <p>The JVM stops all threads while it changes classes. The first change makes it discard much of its compiled
     * code, so the program is slower for a while (docs/footprint.md). Other agents' transformers run on the calling
     * thread. Do not call this with a lock that the program's threads need.
     *
     * @throws ProfilerException {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} without the event, or if this JDK has
     *         no place for the probes' targets; {@link Status#NOT_YET_INITIALIZED} before
     *         {@link Profiler#profilerAttachComplete}; {@link Status#FAILED} if the pattern is malformed, if there
     *         would be more than 1,000 probes, or if the JVM refuses the changed classes. In each of these cases
     *         nothing has changed. {@link Status#IRREVERSIBLE_INSTRUMENTATION} if the change failed and could not be
     *         undone: {@link #probes} lists the probes, {@link #removeProbes} and a detach try again to remove them
     */
    AddedProbes addProbes(String pattern);

    /**
     * Removes the probes of the methods that match a pattern, and verifies that their code is as it was. Calls that run
     * continue with the code that they have, and are not reported any more. The cost is that of {@link #addProbes}.
     * A probe that another agent has taken out ({@link #probes}) does not come back afterwards.
     *
     * @param pattern as for {@link #addProbes}
     * @throws ProfilerException {@link Status#IRREVERSIBLE_INSTRUMENTATION} if the JVM does not restore the code,
     *         because another agent prevents it: all probes are still in place; {@link Status#FAILED} if the pattern is
     *         malformed; {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} and {@link Status#NOT_YET_INITIALIZED} as
     *         for {@link #addProbes}
     */
    RemovedProbes removeProbes(String pattern);

    /**
     * Switches the reports of the probed methods that match a pattern on or off. No class is changed; a method that
     * does not report keeps its probe, which costs some nanoseconds. New probes report.
     *
     * @param pattern as for {@link #addProbes}
     * @return the number of methods that match and for which a probe was added and not removed
     * @throws ProfilerException {@link Status#FAILED} if the pattern is malformed;
     *         {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} and {@link Status#NOT_YET_INITIALIZED} as for
     *         {@link #addProbes}
     */
    int setProbesReporting(String pattern, boolean reporting);

    /**
     * Returns the methods that contain a probe now, in no particular order: the host reads their code. A method whose
     * code another agent has replaced by code without the probe is not among them, and its calls are not reported. If
     * the agent retransforms the class again and leaves the probe in, the probe is back.
     *
     * @throws ProfilerException {@link Status#FAILED} if the code of a class cannot be read, because the heap is full;
     *         {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} and {@link Status#NOT_YET_INITIALIZED} as for
     *         {@link #addProbes}
     */
    List<ProbedMethod> probes();

    /**
     * Counts the stack frames of platform threads that run code which has been replaced, as
     * {@link RemovedProbes#framesOfReplacedCode}. Each thread is stopped while its stack is read. {@code mayfly status}
     * shows the last count.
     *
     * @throws ProfilerException {@link Status#FAILED} if the JVM does not enumerate its threads or its heap is full;
     *         {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} and {@link Status#NOT_YET_INITIALIZED} as for
     *         {@link #addProbes}
     */
    int framesOfReplacedCode();

    /**
     * Sends bytes to every follower. Without a follower, up to 1 MiB is kept for the first one. Never blocks.
     *
     * @param bytes at most 64 KiB
     * @return false if there was no room; such calls are counted, and the followers receive the number
     * @throws ProfilerException {@link Status#FAILED} for more than 64 KiB; {@link Status#PROFILER_DETACHING} once a
     *         detach has begun
     */
    boolean emit(byte[] bytes);

    /**
     * Requests that this profiler be detached, and returns at once, after it has removed the probes. No callback begins
     * afterwards, and every call to the runtime except {@link #runtimeInformation} fails. When the last callback has
     * returned and no thread has code of the profiler on its stack, {@link Profiler#profilerDetachSucceeded} is called
     * and the profiler is unloaded. Do not call this from a thread of your own that continues to run afterwards: such a
     * thread blocks the detach.
     *
     * @param expected an estimate of how long your callbacks still run, from zero to 24 hours; zero means five seconds.
     *         After that time {@code mayfly status} reports that the detach is overdue, and the cause
     * @throws ProfilerException {@link Status#NOT_YET_INITIALIZED} during initialisation;
     *         {@link Status#PROFILER_DETACHING} if a detach was requested before; {@link Status#FAILED} if the estimate
     *         is out of range; {@link Status#IMMUTABLE_FLAGS} if an event of the subscription is
     *         {@linkplain Event#isImmutable immutable}; {@link Status#IRREVERSIBLE_INSTRUMENTATION} if a probe is in
     *         place and the JVM does not restore the code, because another agent prevents it. In each case nothing has
     *         changed, and a later request may succeed
     */
    void requestDetach(Duration expected);
}
