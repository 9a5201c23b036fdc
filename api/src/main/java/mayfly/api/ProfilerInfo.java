package mayfly.api;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The runtime, as a profiler may ask it: from any thread, and from any callback, unless a method says otherwise.
 *
 * <p>Every method but {@link #runtimeInformation} throws a {@link ProfilerException} with {@link Status#PROFILER_DETACHING} once a
 * detach has begun. An id that another runtime gave is refused with {@link Status#UNKNOWN_ID}. Java
 * code runs in all of them, so all of them may allocate and so cause a collection; hold no lock that a callback takes while
 * you call one. The host holds no lock of its own during a callback.
 */
public interface ProfilerInfo {

    /** The runtime this profiler is in. Never fails, neither during the initialisation nor after a detach has begun. */
    RuntimeInformation runtimeInformation();

    /** The events in force; during initialisation, those that will be. */
    Set<Event> eventMask();

    /**
     * Replaces the events in force. During initialisation it takes effect when that has returned; later at once: no callback
     * begins for what is dropped, and those that have begun may return later; what is new may come before this returns.
     *
     * @throws ProfilerException {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} for an event that an attached profiler may
     *         not have, that this JVM does not offer now, or that the manifest does not list;
     *         {@link Status#LASTING_COST_NOT_ACCEPTED}; in all cases nothing has changed
     */
    void setEventMask(Set<Event> events);

    /**
     * What the events in force, or during initialisation those that will be, do not tell with this JVM's garbage collector: a
     * sentence each. Empty if they tell everything that they promise.
     */
    List<String> notReported();

    /**
     * The threads that live now; platform threads only.
     *
     * @throws ProfilerException {@link Status#NOT_YET_INITIALIZED} before {@link Profiler#profilerAttachComplete}
     */
    Enumerated<ThreadId> enumerateThreads();

    /**
     * The classes that are loaded and prepared now, without arrays. Needs {@link Event#CLASS_LOADS}. Takes some milliseconds.
     *
     * @throws ProfilerException {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} without that event;
     *         {@link Status#NOT_YET_INITIALIZED} before {@link Profiler#profilerAttachComplete}
     */
    Enumerated<ClassId> enumerateClasses();

    /** The modules of the classes that are loaded now. Needs {@link Event#MODULE_LOADS}; otherwise as {@link #enumerateClasses}. */
    Enumerated<ModuleId> enumerateModules();

    /** The methods that are compiled now. Needs {@link Event#COMPILED_METHODS}; otherwise as {@link #enumerateClasses}. */
    Enumerated<CompiledMethod> enumerateCompiledMethods();

    /**
     * The calling thread. Usable without an event that told of it.
     */
    ThreadId currentThread();

    /**
     * What a thread is called.
     *
     * @throws ProfilerException {@link Status#THREAD_GONE} if it has ended; {@link Status#UNKNOWN_ID} if the id belongs to another
     *         runtime
     */
    ThreadDescription describe(ThreadId thread);

    /**
     * What a class is called.
     *
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if it has been unloaded, or the id belongs to another runtime
     */
    ClassDescription describe(ClassId type);

    /**
     * What a module is called.
     *
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if it has been unloaded, or the id belongs to another runtime
     */
    ModuleDescription describe(ModuleId module);

    /** The same as {@link #doStackSnapshot(HiddenFrames, StackSnapshotCallback, Object)} without hidden frames. */
    default <T> void doStackSnapshot(StackSnapshotCallback<T> callback, T data) {
        doStackSnapshot(HiddenFrames.OMIT, callback, data);
    }

    /**
     * Walks the calling thread. Needs {@link Event#STACK_SNAPSHOTS}. The whole stack is reported, whatever its depth, without the
     * frames of the profiler and of the host and without those frames of the JDK that they called. In a callback the first frame is
     * that of the program, or of the JDK, on whose thread the callback came. A thread on which only the profiler runs has no frames but
     * those of the JDK that started it.
     *
     * @param hidden whether frames are reported that the JVM leaves out of an exception's stack trace
     * @param callback receives each frame, leaf first
     * @param data passed through
     * @throws ProfilerException {@link Status#STACK_SNAPSHOT_ABORTED} if the callback stopped the walk;
     *         {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} without the event
     */
    <T> void doStackSnapshot(HiddenFrames hidden, StackSnapshotCallback<T> callback, T data);

    /** The same as {@link #doStackSnapshot(ThreadId, HiddenFrames, StackSnapshotCallback, Object)} without hidden frames. */
    default <T> void doStackSnapshot(ThreadId thread, StackSnapshotCallback<T> callback, T data) {
        doStackSnapshot(thread, HiddenFrames.OMIT, callback, data);
    }

    /**
     * Walks another thread. The JVM stops it at its next safepoint poll, takes its stack and resumes it before the first
     * frame is reported. Before JDK 21, and for a stack of more than 1,024 frames ({@code -XX:MaxJavaStackTraceDepth}) or with
     * hidden frames, it stops all threads for that. A thread without Java frames reports none. Frames are left out as above.
     *
     * @param thread the thread
     * @param hidden whether frames are reported that the JVM leaves out of an exception's stack trace
     * @param callback receives each frame, leaf first
     * @param data passed through
     * @throws ProfilerException as above; {@link Status#THREAD_GONE} if it has ended; {@link Status#UNKNOWN_ID} if the id belongs to
     *         another runtime; {@link Status#STACK_SNAPSHOT_TRUNCATED}, after the last frame was reported, if the stack is deeper and
     *         the program's heap has no room for the rest
     */
    <T> void doStackSnapshot(ThreadId thread, HiddenFrames hidden, StackSnapshotCallback<T> callback, T data);

    /**
     * Sends bytes to whoever follows; without a follower the first MiB is kept for the first that comes. Never waits.
     *
     * @param bytes at most 64 KiB
     * @return false if there was no room: counted, and the follower is told how many
     */
    boolean emit(byte[] bytes);

    /**
     * Asks to be detached, and returns at once. No callback begins from then on, and every call here fails. When the last
     * callback has returned and no thread has code of the profiler on its stack,
     * {@link Profiler#profilerDetachSucceeded} is called and the profiler is unloaded. Never from a thread of your own that
     * goes on running afterwards: the detach waits for it.
     *
     * @param expected how long you think your callbacks still take; zero stands for five seconds. After that
     *        {@code mayfly status} says that it is overdue, and by whom
     * @throws ProfilerException {@link Status#NOT_YET_INITIALIZED} during initialisation; {@link Status#IMMUTABLE_FLAGS} or
     *         {@link Status#IRREVERSIBLE_INSTRUMENTATION} if they stand against it; {@link Status#PROFILER_DETACHING} if it
     *         was asked for already. In all cases nothing has changed
     */
    void requestDetach(Duration expected);
}
