package mayfly.api;

import java.util.Optional;

/**
 * A profiler, written by you and hosted in somebody else's JVM. Every callback does nothing unless you override it.
 *
 * <p>Callbacks that begin or end the profiler's life, {@link #command} and those of collections, suspensions, compiled methods and
 * unloading come one at a time on the host's own thread. {@link #threadCreated}, {@link #threadDestroyed},
 * {@link #classLoaded} and {@link #moduleLoaded} come on the application's threads, many at once: be quick, and take no lock
 * that you hold while calling the runtime. What a callback throws is counted and dropped; the application never sees it.
 *
 * <p>From the return of {@link ProfilerInfo#requestDetach} no callback begins but {@link #profilerDetachSucceeded} and, while the detach
 * waits for something, {@link #command}. A user can also begin a detach without asking the profiler ({@code mayfly detach --force});
 * that is as if the profiler had called {@link ProfilerInfo#requestDetach} at that moment.
 */
public interface Profiler {

    /**
     * The JVM is starting with this profiler, and main waits until this has returned, within the time that was given. Subscribe
     * here; everything that main does is told. Called in place of {@link #initializeForAttach}; what may be subscribed to
     * is the same.
     *
     * @param info the runtime; valid until the profiler is detached
     * @throws ProfilerException to decline, or to fail: the JVM starts without the profiler, and says so in a line on its
     *         standard error
     */
    default void initialize(ProfilerInfo info) {}

    /**
     * The profiler is being attached to a running JVM. Subscribe here; events begin when this has returned. The trigger
     * waits for it within the time it was given.
     *
     * @param info the runtime; valid until the profiler is detached
     * @param clientData what the trigger sent along, byte for byte; empty if it sent nothing, which differs from no bytes
     * @throws ProfilerException to decline, or to fail: the trigger is told, and the profiler is unloaded
     */
    default void initializeForAttach(ProfilerInfo info, Optional<byte[]> clientData) {}

    /**
     * All events asked for are on. What existed before can be enumerated now without a gap. The trigger waits for it; at launch,
     * main does.
     */
    default void profilerAttachComplete() {}

    /**
     * A thread has begun, or was seen first.
     *
     * @param at when
     * @param thread its id, usable at once
     */
    default void threadCreated(Stamp at, ThreadId thread) {}

    /**
     * A thread is ending; it waits until this returns, which holds up no collection.
     *
     * @param at when
     * @param thread its id, not to be asked about any more
     */
    default void threadDestroyed(Stamp at, ThreadId thread) {}

    /**
     * A class has been loaded and prepared; it has not been initialised.
     *
     * @param at when
     * @param type its id, usable at once
     */
    default void classLoaded(Stamp at, ClassId type) {}

    /**
     * A class has been unloaded.
     *
     * @param at when it was noticed
     * @param type its id, not to be asked about any more
     */
    default void classUnloaded(Stamp at, ClassId type) {}

    /**
     * The first class of a module has been loaded; told before that class if both are.
     *
     * @param at when
     * @param module its id, usable at once
     */
    default void moduleLoaded(Stamp at, ModuleId module) {}

    /**
     * A module has gone, with its class loader.
     *
     * @param at when it was noticed
     * @param module its id, not to be asked about any more
     */
    default void moduleUnloaded(Stamp at, ModuleId module) {}

    /**
     * A collection has stopped the world.
     *
     * @param at when it began, not when it is told
     */
    default void garbageCollectionStarted(Stamp at) {}

    /**
     * A collection has let the world go on. Not told if its beginning was not.
     *
     * @param at when it ended, not when it is told
     */
    default void garbageCollectionFinished(Stamp at) {}

    /**
     * A method has been compiled.
     *
     * @param at when
     * @param method its code
     */
    default void methodCompiled(Stamp at, CompiledMethod method) {}

    /**
     * The code of a compiled method is no longer used.
     *
     * @param at when it was noticed
     * @param address where it began
     */
    default void methodUnloaded(Stamp at, long address) {}

    /**
     * The JVM stopped all threads, for a collection or for something else, and has let them go again.
     *
     * @param at when it began to stop them, not when it is told
     * @param suspension for what, and how long
     */
    default void runtimeSuspended(Stamp at, Suspension suspension) {}

    /**
     * A command has been sent from outside. It is also delivered while a detach waits for something of the profiler, such as a forgotten
     * thread, which a command may end; the runtime refuses all calls then. Once the profiler was told of its detach
     * ({@link #profilerDetachSucceeded}), a command reaches it only if something keeps its {@link ProfilerInfo} alive.
     *
     * @param command what was sent, at most 16 MiB; the meaning is yours
     * @return the answer, at most 16 MiB; a larger one is refused with {@link Status#FAILED}
     * @throws ProfilerException to answer with a status and a message
     */
    default byte[] command(byte[] command) {
        throw new ProfilerException(Status.FAILED, "this profiler takes no commands");
    }

    /**
     * Somebody outside wishes the profiler to go. Override it to end your own threads first, and call
     * {@link ProfilerInfo#requestDetach} when they have ended.
     *
     * @param info the runtime
     * @param reason why, in words for people: untrusted text
     */
    default void detachRequested(ProfilerInfo info, String reason) {
        info.requestDetach(java.time.Duration.ZERO);
    }

    /**
     * The last call: no other callback runs, and the profiler's code is on no stack but this one. When this has returned the profiler is
     * unloaded, unless something still refers to it; until that has gone only {@link #command} may be called.
     */
    default void profilerDetachSucceeded() {}

    /** The JVM is ending in an orderly way, with the profiler attached. */
    default void shutdown() {}
}
