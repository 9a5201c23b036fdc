package mayfly.api;

import java.util.Optional;
import mayfly.api.code.LoaderId;
import mayfly.api.code.MethodId;
import mayfly.api.event.AllocationSample;
import mayfly.api.event.Compilation;
import mayfly.api.event.CompilationStart;
import mayfly.api.event.ContentionSample;
import mayfly.api.event.Delivery;
import mayfly.api.event.Deoptimization;
import mayfly.api.event.GarbageCollection;
import mayfly.api.event.ObjectMonitor;
import mayfly.api.event.ThreadAllocation;

/**
 * A profiler that you write and that is hosted in another program's JVM. The default implementation of every callback
 * does nothing, except for {@link #command} and {@link #detachRequested}.
 *
 * <p>Callbacks for the start and end of the profiler's life, {@link #command}, {@link #timer}, and callbacks for
 * collections, suspensions, compiled methods, unloading and {@link #classLoadStarted} are called one at a time on the
 * host's own thread. {@link #threadCreated}, {@link #threadDestroyed}, {@link #classLoaded}, {@link #moduleLoaded} and
 * the callbacks for virtual threads, exceptions, allocations, monitors and probes are called on the application's
 * threads, concurrently, unless the event is {@linkplain Delivery#ASYNCHRONOUS asynchronous}: return quickly, and do
 * not take a lock that you hold while calling the runtime. Exceptions thrown by a callback are counted and dropped; the
 * application never sees them.
 *
 * <p>After {@link ProfilerInfo#requestDetach} returns, no callback begins except {@link #profilerDetachSucceeded} and,
 * while the detach is blocked, {@link #command}. A user can also begin a detach without a call of
 * {@link #detachRequested} ({@code mayfly detach --force}); this has the same effect as a call of
 * {@link ProfilerInfo#requestDetach} by the profiler at that moment.
 */
public interface Profiler {

    /**
     * Called when the JVM starts with this profiler, instead of {@link #initializeForAttach}. The main method waits
     * until this method returns, but not longer than the configured time-out. Subscribe to events here; they then cover
     * everything that main does. The permitted events are those of {@link #initializeForAttach}, and
     * {@link Event#EXCEPTIONS}.
     *
     * @param info the runtime; valid until the profiler is detached
     * @throws ProfilerException to decline, or to report a failure: the JVM starts without the profiler, and one line
     *         on its standard error reports this
     */
    default void initialize(ProfilerInfo info) {}

    /**
     * Called when the profiler is attached to a running JVM. Subscribe to events here; they begin after this method has
     * returned. The attaching command waits until this method returns, but not longer than its time-out.
     *
     * @param info the runtime; valid until the profiler is detached
     * @param clientData the bytes passed by the attaching command, unchanged; empty if there are none, which differs
     *         from zero bytes
     * @throws ProfilerException to decline, or to report a failure: the attaching command reports it, and the profiler
     *         is unloaded
     */
    default void initializeForAttach(ProfilerInfo info, Optional<byte[]> clientData) {}

    /**
     * Called when all subscribed events are enabled. Existing threads, classes and so on can now be enumerated without
     * a gap. The attaching command waits until this method returns; at launch, the main method waits instead.
     */
    default void profilerAttachComplete() {}

    /**
     * A thread has started, or was observed for the first time.
     *
     * @param at the time of the event
     * @param thread the thread's id, valid from now on
     */
    default void threadCreated(Stamp at, ThreadId thread) {}

    /**
     * As {@link #threadCreated(Stamp, ThreadId)}, with the thread that created this one. The host calls this method
     * only; its default implementation calls the other.
     *
     * @param at the time of the event
     * @param thread the thread's id, valid from now on
     * @param creator the thread that called {@link Thread#start}; its carrier if that was a virtual thread. The creator
     *     may have ended. Absent if the event is {@linkplain Delivery#SYNCHRONOUS synchronous}, because JVMTI does not
     *     report it, and if the creator is a thread of the JVM or of a native library
     */
    default void threadCreated(Stamp at, ThreadId thread, Optional<ThreadId> creator) {
        threadCreated(at, thread);
    }

    /**
     * A thread is about to end. It waits until this method returns; garbage collections are not delayed.
     *
     * @param at the time of the event
     * @param thread the thread's id; it is no longer valid for {@code describe}
     */
    default void threadDestroyed(Stamp at, ThreadId thread) {}

    /**
     * A virtual thread begins to run. Called on that thread, which is pinned to its carrier during the callback.
     * Reported with {@link Event#VIRTUAL_THREADS}.
     *
     * @param at the time of the event
     * @param thread the thread's id, valid from now on
     */
    default void virtualThreadStarted(Stamp at, ThreadId thread) {}

    /**
     * A virtual thread has run, and is about to end. Called on that thread, which is pinned to its carrier during the
     * callback. A thread that was started before the subscription has an end without a start.
     *
     * @param at the time of the event
     * @param thread the thread's id, valid for {@code describe} until this method returns
     */
    default void virtualThreadEnded(Stamp at, ThreadId thread) {}

    /**
     * The JVM has begun to load a class. Reported with {@link Event#CLASS_LOAD_STARTS}.
     *
     * @param at the time of the event, which is earlier than this call
     * @param className the name with dots; absent if the program has not named the class when it defined it
     * @param loader the id of the class loader that defines the class, valid from now on; absent for the boot loader
     */
    default void classLoadStarted(Stamp at, Optional<String> className, Optional<LoaderId> loader) {}

    /**
     * A class has been loaded and prepared, but not initialised.
     *
     * @param at the time of the event
     * @param type the class's id, valid from now on
     */
    default void classLoaded(Stamp at, ClassId type) {}

    /**
     * A class has been unloaded.
     *
     * @param at the time at which the unloading was detected
     * @param type the class's id; it is no longer valid for {@code describe}
     */
    default void classUnloaded(Stamp at, ClassId type) {}

    /**
     * The first class of a module has been loaded. Reported before that class if both are reported. If the event is
     * {@linkplain Delivery#ASYNCHRONOUS asynchronous}, the module has been defined.
     *
     * @param at the time of the event
     * @param module the module's id, valid from now on
     */
    default void moduleLoaded(Stamp at, ModuleId module) {}

    /**
     * A module has been unloaded together with its class loader.
     *
     * @param at the time at which the unloading was detected
     * @param module the module's id; it is no longer valid for {@code describe}
     */
    default void moduleUnloaded(Stamp at, ModuleId module) {}

    /**
     * A class loader whose id the profiler has asked for has been unloaded, together with its classes. Reported with
     * {@link Event#CLASS_LOADS}.
     *
     * @param at the time at which the unloading was detected
     * @param loader the loader's id; it is no longer valid for {@code describe}
     */
    default void loaderUnloaded(Stamp at, LoaderId loader) {}

    /**
     * A collection has stopped all threads.
     *
     * @param at the start of the collection, which is earlier than this call
     */
    default void garbageCollectionStarted(Stamp at) {}

    /**
     * A collection has resumed all threads. Not called if the start was not reported.
     *
     * @param at the end of the collection, which is earlier than this call
     */
    default void garbageCollectionFinished(Stamp at) {}

    /**
     * The pause of a collection has ended. Called after {@link #garbageCollectionFinished} for the same pause, if the
     * event is {@linkplain Delivery#ASYNCHRONOUS asynchronous}.
     *
     * @param at the end of the pause, which is earlier than this call
     * @param collection the kind, the cause and the sizes
     */
    default void garbageCollected(Stamp at, GarbageCollection collection) {}

    /**
     * A compiler of the JVM has begun to compile a method. Reported with {@link Event#COMPILATIONS}.
     *
     * @param at the start, which is earlier than this call
     * @param compilation the method and the compiler's tier
     */
    default void compilationStarted(Stamp at, CompilationStart compilation) {}

    /**
     * A thread has left compiled code because an assumption of the compiler was wrong. Reported with
     * {@link Event#DEOPTIMIZATIONS}.
     *
     * @param at the time of the event, which is earlier than this call
     * @param deoptimization the code, the bytecode, the reason and the consequence
     */
    default void methodDeoptimized(Stamp at, Deoptimization deoptimization) {}

    /**
     * The JVM uses new code of a compiled method.
     *
     * @param at the time at which the code was installed, which is earlier than this call
     * @param compilation the method and the compiler's tier
     */
    default void methodInstalled(Stamp at, Compilation compilation) {}

    /**
     * A method has been compiled.
     *
     * @param at the time of the event
     * @param method the compiled code
     */
    default void methodCompiled(Stamp at, CompiledMethod method) {}

    /**
     * The code of a compiled method is no longer used.
     *
     * @param at the time at which this was detected
     * @param address the start address of the code
     */
    default void methodUnloaded(Stamp at, long address) {}

    /**
     * The JVM stopped all threads, for a collection or another operation, and has resumed them.
     *
     * @param at the time at which the JVM began to stop them, which is earlier than this call
     * @param suspension the reason and the duration
     */
    default void runtimeSuspended(Stamp at, Suspension suspension) {}

    /**
     * A thread has thrown an exception in Java code. Called on that thread, so {@link ProfilerInfo#doStackSnapshot} of
     * the current thread shows the place.
     *
     * @param at the time of the event
     * @param thread the thread, which may be a virtual thread
     * @param type the class of the exception
     */
    default void exceptionThrown(Stamp at, ThreadId thread, ClassId type) {}

    /**
     * A thread has caught an exception in Java code, or a {@code finally} block has. Called on that thread, before the
     * code of the handler runs.
     *
     * @param at the time of the event
     * @param thread the thread, which may be a virtual thread
     * @param type the class of the exception
     */
    default void exceptionCaught(Stamp at, ThreadId thread, ClassId type) {}

    /**
     * An interval of the timer has passed: see {@link ProfilerInfo#every}. Called on the host's thread.
     *
     * @param at the time of the call
     * @param missed the number of earlier calls that this one replaces, because the thread was late
     */
    default void timer(Stamp at, long missed) {}

    /**
     * A thread has allocated an object that the JVM has chosen as a sample. Called on that thread before it uses the
     * object, so {@link ProfilerInfo#doStackSnapshot} of the current thread shows the place. The thread may hold any
     * lock of the program or of the JDK. It may be a thread of the profiler: do not take a lock that is held while
     * memory is allocated.
     *
     * @param at the time of the event
     * @param sample the allocation, and the number of bytes that it stands for
     */
    default void allocationSampled(Stamp at, AllocationSample sample) {}

    /**
     * A thread has allocated since the last look: called instead of {@link #allocationSampled} if
     * {@link Event#ALLOCATIONS} is {@linkplain Delivery#ASYNCHRONOUS asynchronous}.
     *
     * @param at the time of the look, which is earlier than this call
     * @param allocation the number of bytes
     */
    default void allocationObserved(Stamp at, ThreadAllocation allocation) {}

    /**
     * A thread waited to enter a monitor when the host looked: called instead of {@link #contentionStarted},
     * {@link #contentionFinished}, {@link #waitStarted} and {@link #waitFinished} if {@link Event#MONITORS} is
     * {@linkplain Delivery#ASYNCHRONOUS asynchronous}. The thread may have entered the monitor by now, so a walk of its
     * stack may show another place.
     *
     * @param at the time of the look, which is earlier than this call
     * @param sample the thread, the monitor, and the time that the sample stands for
     */
    default void contentionObserved(Stamp at, ContentionSample sample) {}

    /**
     * A thread begins to wait for a monitor that another thread owns. Called on that thread.
     *
     * @param at the time of the event
     * @param thread the thread, which may be a virtual thread
     * @param monitor the monitor
     */
    default void contentionStarted(Stamp at, ThreadId thread, ObjectMonitor monitor) {}

    /**
     * A thread has entered the monitor for which it waited. Called on that thread. The thread owns the monitor, so this
     * callback delays other threads that wait for it.
     *
     * @param at the time of the event
     * @param thread the thread
     * @param monitor the monitor
     */
    default void contentionFinished(Stamp at, ThreadId thread, ObjectMonitor monitor) {}

    /**
     * A thread begins to wait in {@link Object#wait()}. Called on that thread, which still owns the monitor.
     *
     * @param at the time of the event
     * @param thread the thread, which may be a virtual thread
     * @param monitor the monitor
     */
    default void waitStarted(Stamp at, ThreadId thread, ObjectMonitor monitor) {}

    /**
     * A thread has waited in {@link Object#wait()}. Called on that thread before it enters the monitor again.
     *
     * @param at the time of the event
     * @param thread the thread
     * @param monitor the monitor
     * @param timedOut true if the time-out has expired; false if the thread was notified or interrupted
     */
    default void waitFinished(Stamp at, ThreadId thread, ObjectMonitor monitor, boolean timedOut) {}

    /**
     * A probed method begins: see {@link ProfilerInfo#addProbes}. Called on the calling thread, which may be a virtual
     * thread and may hold any lock of the program. There is no {@link Stamp}: the clock and a sequence number would
     * double the cost of a call. Read {@link System#nanoTime} if you need the time, and
     * {@link ProfilerInfo#currentThread} for the thread.
     *
     * <p>A call is not reported if it was made by a callback on the same thread, unless that callback is on a thread of
     * the program and has itself added the first probes. {@link ProfilerInfo#doStackSnapshot}
     * of the current thread has the method as its first frame.
     *
     * @param method the method
     */
    default void methodEntered(MethodId method) {}

    /**
     * A probed method ends. Called on the calling thread, before the method returns or the exception reaches its
     * caller. If reports of the method were switched on during the call, there was no {@link #methodEntered} for it. If
     * they were switched off when the call ends, or the probe had been removed, this callback is not called for it.
     *
     * @param method the method
     * @param thrown true if the method ends by an exception
     */
    default void methodLeft(MethodId method, boolean thrown) {}

    /**
     * Handles a command sent to this profiler. Commands are also delivered while a detach is blocked by the profiler,
     * for example by a thread that the profiler has not ended; a command may end that thread. During a detach, all
     * calls to the runtime except {@link ProfilerInfo#runtimeInformation} fail. After the call of
     * {@link #profilerDetachSucceeded}, commands are delivered only as long as the {@link ProfilerInfo} is strongly
     * reachable.
     *
     * @param command the bytes sent, at most 16 MiB; the profiler defines their meaning
     * @return the answer, at most 16 MiB; a larger one, or null, is refused with {@link Status#FAILED}
     * @throws ProfilerException to answer with a status and a message
     */
    default byte[] command(byte[] command) {
        throw new ProfilerException(Status.FAILED, "this profiler takes no commands");
    }

    /**
     * A user requests that the profiler be detached. Override this method to end your own threads first, and call
     * {@link ProfilerInfo#requestDetach} when they have ended.
     *
     * @param info the runtime
     * @param reason a reason for human readers: untrusted text
     */
    default void detachRequested(ProfilerInfo info, String reason) {
        info.requestDetach(java.time.Duration.ZERO);
    }

    /**
     * The last callback: no other callback runs, and the profiler's code is on no other stack. After this method
     * returns, the profiler is unloaded, unless something still refers to it; until that reference is gone, only
     * {@link #command} may be called.
     */
    default void profilerDetachSucceeded() {}

    /**
     * The JVM is shutting down normally while the profiler is attached. Called on the thread of a shutdown hook,
     * concurrently with other callbacks.
     */
    default void shutdown() {}
}
