package mayfly.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import mayfly.api.code.CodeInfo;
import mayfly.api.code.FieldId;
import mayfly.api.code.MethodId;
import mayfly.api.event.Delivery;
import mayfly.api.event.MonitorInfo;
import mayfly.api.heap.HeapInfo;
import mayfly.api.probe.ProbeInfo;
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
 * <tr><td>{@link #methods}, {@link #fields}, {@link #describe(MethodId)}, {@link #describe(FieldId)},
 * {@link #lines}</td><td>in a JVM that describes its classes in an unknown way</td></tr>
 * <tr><td>{@link #monitorOwner}</td><td>without a synchronous {@link Event#MONITORS}</td></tr>
 * </table>
 */
public interface ProfilerInfo extends CodeInfo, HeapInfo, MonitorInfo, ProbeInfo {

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
