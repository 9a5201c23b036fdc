package mayfly.host;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.host.channel.Reply;
import mayfly.host.probe.jvm.Probes;
import mayfly.wire.UpcallKind;
import mayfly.wire.message.MessageSize;
import mayfly.wire.message.RuntimeOffset;
import org.jspecify.annotations.Nullable;

/**
 * One hosted profiler, from its first call to its last. All methods except {@link #requestDetach} run on the host's
 * thread.
 */
final class Host {
    private static final long DEFAULT_EXPECTED_NANOS = 5_000_000_000L;
    private static final long MAX_EXPECTED_SECONDS = 24 * 60 * 60;
    /** The limit documented by {@link Profiler#command}. */
    private static final int MAX_ANSWER = MessageSize.MAX_COMMAND;

    private final Life life = Life.HOSTED;
    /** The host's thread, which creates this object. */
    private final Thread own = Thread.currentThread();

    private final Profiler profiler;
    private final Events events;
    private final HostedProfilerInfo info;
    private final String loaderName;
    /** The loader, through the function that {@link MemoryLoader} implements. */
    private final Function<Object, byte @Nullable []> files;

    private final byte @Nullable [] clientData;
    private final ShutdownHook end = new ShutdownHook(this);
    /**
     * Referenced from here, so that commands reach a detached profiler as long as it retains its
     * {@link HostedProfilerInfo}.
     */
    private final Upcall commands = new Upcall(UpcallKind.COMMAND, this);

    /** @param runtime the rank of this JVM and the start address of its libjvm, encoded as in {@code RuntimeOffset} */
    Host(
            Profiler profiler,
            int declared,
            String loaderName,
            Function<Object, byte @Nullable []> files,
            byte @Nullable [] clientData,
            ByteBuffer runtime) {
        this.profiler = profiler;
        this.loaderName = loaderName;
        this.files = files;
        this.clientData = clientData;
        this.events = new Events(profiler, life, declared, new Ids(runtime.getInt(RuntimeOffset.RANK)));
        this.info = new HostedProfilerInfo(this, life, events, runtime.getLong(RuntimeOffset.LIBRARY));
    }

    Life life() {
        return life;
    }

    boolean isOwnThread() {
        return Thread.currentThread() == own;
    }

    String loaderName() {
        return loaderName;
    }

    Upcall commands() {
        return commands;
    }

    Events events() {
        return events;
    }

    /**
     * Returns the answer to the trigger. If the initialisation fails, a detach has begun when this returns, unless a
     * probe cannot be removed.
     */
    byte[] initialize() {
        try {
            life.to(Life.State.INITIALIZING);
            info.prepare(Vm.savedProperty("java.vm.name"));
            if (Vm.atLaunch()) {
                events.launched();
                profiler.initialize(info);
            } else {
                profiler.initializeForAttach(info, Optional.ofNullable(clientData));
            }
            // No other thread changes the subscription between the two, when it is no longer that of an initialisation.
            synchronized (events) {
                events.enable();
                end.add();
                activate();
            }
        } catch (Throwable e) {
            life.to(Life.State.DETACHING);
            end.remove();
            return Reply.thrown(e);
        }
        try {
            profiler.profilerAttachComplete();
            return Reply.done();
        } catch (Throwable e) {
            return Reply.thrown(detachedAfter(e));
        }
    }

    /** Begins a detach, unless one has begun, and returns the exception that answers the trigger. */
    private Throwable detachedAfter(Throwable failure) {
        try {
            if (life.state() == Life.State.ACTIVE) {
                beginDetachWithoutProbes(DEFAULT_EXPECTED_NANOS);
                end.remove();
            }
            return failure;
        } catch (ProfilerException e) {
            return stays(failure, e);
        }
    }

    /**
     * Returns the exception of a profiler that failed and stays attached.
     *
     * @param refusal the reason why no detach began
     */
    static ProfilerException stays(Throwable failure, ProfilerException refusal) {
        ProfilerException both = new ProfilerException(
                refusal.status(),
                "the profiler stays attached: " + refusal.getMessage() + "; it failed with " + failure);
        both.initCause(failure);
        both.addSuppressed(refusal);
        return both;
    }

    /**
     * The library sends no command before the profiler is active; afterwards it sends them even while a detach waits.
     */
    byte[] command(byte[] command) {
        try {
            byte[] answer = profiler.command(command);
            if (answer == null) {
                return Reply.refused(Status.FAILED, "the profiler answered null");
            }
            return answer.length <= MAX_ANSWER
                    ? Reply.bytes(answer)
                    : Reply.refused(
                            Status.FAILED,
                            "the profiler answered with " + answer.length + " bytes, and an answer has at most "
                                    + MAX_ANSWER);
        } catch (Throwable e) {
            return Reply.thrown(e);
        }
    }

    byte[] detachRequested(byte[] reason) {
        try {
            life.mustBeActive();
            requireDetachable();
            profiler.detachRequested(info, new String(reason, StandardCharsets.UTF_8));
            return Reply.done();
        } catch (Throwable e) {
            return Reply.thrown(e);
        }
    }

    /** Begins the detach without asking the profiler. */
    byte[] detachForced() {
        try {
            requestDetach(Duration.ZERO);
            return Reply.done();
        } catch (Throwable e) {
            return Reply.thrown(e);
        }
    }

    void requestDetach(Duration expected) {
        // Not by Duration.toNanos: each attach would call it. The JVM would eventually compile it and keep the code.
        long seconds = expected.getSeconds();
        if (seconds < 0
                || seconds > MAX_EXPECTED_SECONDS
                || seconds == MAX_EXPECTED_SECONDS && expected.getNano() > 0) {
            throw new ProfilerException(
                    Status.FAILED, "the expected duration of a detach is from 0 to 24 hours, not " + expected);
        }
        life.mustBeActive();
        requireDetachable();
        long nanos = seconds * 1_000_000_000 + expected.getNano();
        beginDetachWithoutProbes(nanos == 0 ? DEFAULT_EXPECTED_NANOS : nanos);
        end.remove();
    }

    /** Removes the probes and begins a detach; no probe is added in between. */
    private void beginDetachWithoutProbes(long expectedNanos) {
        Probes probes = events.probes();
        if (probes == null) {
            beginDetach(expectedNanos);
            return;
        }
        synchronized (probes) {
            life.mustBeActive();
            probes.removeAll();
            beginDetach(expectedNanos);
        }
    }

    /** Checks that nothing prevents a detach for the rest of the JVM's life. */
    private void requireDetachable() {
        if (events.areImmutable()) {
            throw new ProfilerException(
                    Status.IMMUTABLE_FLAGS,
                    "the profiler has subscribed to " + Event.EXCEPTIONS
                            + ", which cannot be undone: it stays until the JVM ends");
        }
    }

    /**
     * Changes the state here and in the library under one lock: a request to detach between the two changes would admit
     * callbacks during the rundown.
     */
    private void activate() {
        synchronized (life) {
            life.to(Life.State.ACTIVE);
            Vm.activate();
        }
    }

    private void beginDetach(long expectedNanos) {
        synchronized (life) {
            life.mustBeActive();
            life.to(Life.State.DETACHING);
            Vm.beginDetach(expectedNanos);
        }
    }

    /** Called when the JVM ends. */
    void shutdown() {
        if (life.state() == Life.State.ACTIVE) {
            profiler.shutdown();
        }
    }

    void detachSucceeded() {
        profiler.profilerDetachSucceeded();
    }

    /** Releases the bytes of the jar, in a JVM that never unloads classes. */
    void forget() {
        MemoryLoader.forget(files);
    }

    /**
     * Describes a thread with code of the profiler on its stack, or a call that has not returned; null if there is
     * none.
     */
    @Nullable
    String pinningThread() {
        // Read before the stacks: a call that returns in between leaves a thread that the stacks show.
        String call = Vm.unreturnedCall();
        Probes probes = events.probes();
        if (call == null && probes != null && probes.isRunning()) {
            call = "a callback for a probe that has not returned";
        }
        String thread = PinningThreads.find(loaderName);
        return thread == null ? call : thread;
    }

    /** Notifies the profiler when the JVM ends in an orderly way. It is removed when a detach begins. */
    private static final class ShutdownHook extends Thread {
        private final Host host;

        ShutdownHook(Host host) {
            super(null, null, "Mayfly shutdown", 0, false);
            this.host = host;
        }

        void add() {
            try {
                Runtime.getRuntime().addShutdownHook(this);
            } catch (IllegalStateException e) {
                // The JVM is already ending.
            }
        }

        void remove() {
            try {
                Runtime.getRuntime().removeShutdownHook(this);
            } catch (IllegalStateException e) {
                // The JVM is ending, and does not permit the removal.
            }
        }

        @Override
        public void run() {
            try {
                host.shutdown();
            } catch (Throwable e) {
                Vm.countThrown();
            }
        }
    }
}
