package mayfly.host;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import mayfly.api.ClassDescription;
import mayfly.api.ClassId;
import mayfly.api.CompiledMethod;
import mayfly.api.Enumerated;
import mayfly.api.Event;
import mayfly.api.HiddenFrames;
import mayfly.api.ModuleDescription;
import mayfly.api.ModuleId;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.RuntimeInformation;
import mayfly.api.StackSnapshotCallback;
import mayfly.api.Stamp;
import mayfly.api.Status;
import mayfly.api.ThreadDescription;
import mayfly.api.ThreadId;
import mayfly.api.thread.Locks;
import mayfly.api.thread.ThreadSnapshot;
import mayfly.host.code.CodeTable;
import mayfly.host.event.EventArgument;
import mayfly.host.log.LoggedClasses;
import mayfly.host.log.LoggedModules;
import mayfly.host.probe.jvm.Probes;
import org.jspecify.annotations.Nullable;

/** The runtime interface that the profiler calls. Each method first checks that the call is permitted. */
final class HostedProfilerInfo extends HostedQuestions implements ProfilerInfo {
    private static final int MAX_EMITTED = 64 << 10;
    private static final long MIN_TIMER_NANOS = 1_000_000;
    private static final long MAX_TIMER_SECONDS = 60 * 60;

    private final Host host;
    private final long library;
    /** The host's own thread, which creates this object. */
    private final Thread own = Thread.currentThread();

    private volatile @Nullable RuntimeInformation information;
    private volatile @Nullable Stacks stacks;

    /** @param library the start address of the JVM's library */
    HostedProfilerInfo(Host host, Life life, Events events, long library) {
        super(life, events);
        this.host = host;
        this.library = library;
    }

    /**
     * Composes the information about the JVM; called before the profiler can request it.
     *
     * @param vm the JVM's name, null if it is unknown
     */
    void prepare(@Nullable String vm) {
        information = new RuntimeInformation(
                ids.runtime(),
                Runtime.version().feature(),
                Runtime.version().toString(),
                vm == null ? "" : vm,
                library);
    }

    @Override
    public RuntimeInformation runtimeInformation() {
        return Objects.requireNonNull(information);
    }

    @Override
    public Set<Event> eventMask() {
        life.mustAnswer();
        return events.mask();
    }

    @Override
    public void setEventMask(Set<Event> wanted) {
        life.mustAnswer();
        prepareStacks(wanted);
        set(wanted, null);
    }

    @Override
    public void setEventMask(Set<Event> synchronous, Set<Event> asynchronous) {
        life.mustAnswer();
        prepareStacks(synchronous);
        prepareStacks(asynchronous);
        set(synchronous, asynchronous);
    }

    /**
     * Replaces the mask, and removes the probes if their event is removed.
     *
     * @param asynchronous null if the host chooses the delivery of each event
     */
    private void set(Set<Event> wanted, @Nullable Set<Event> asynchronous) {
        // The lock of the probes first: the callbacks of a change of probes, which has it, may wait for the other.
        Probes probes = events.probes();
        synchronized (probes == null ? events : probes) {
            synchronized (events) {
                replace(wanted, asynchronous);
            }
        }
    }

    private void replace(Set<Event> wanted, @Nullable Set<Event> asynchronous) {
        Set<Event> before = events.mask();
        Set<Event> beforeAsynchronous = events.asynchronous();
        before.removeAll(beforeAsynchronous);
        if (asynchronous == null) {
            events.set(wanted);
        } else {
            events.set(wanted, asynchronous);
        }
        try {
            removeProbesIfNoEvent();
        } catch (ProfilerException e) {
            events.set(before, beforeAsynchronous);
            throw e;
        }
    }

    private void removeProbesIfNoEvent() {
        Probes probes = events.probes();
        if (probes != null && !events.has(Event.METHOD_PROBES) && life.state() == Life.State.ACTIVE) {
            probes.removeAll();
        }
    }

    private void prepareStacks(Set<Event> wanted) {
        if (wanted.contains(Event.STACK_SNAPSHOTS) && stacks == null) {
            stacks = new Stacks(host.loaderName(), ids);
        }
    }

    @Override
    public Set<Event> asynchronousEvents() {
        life.mustAnswer();
        return events.asynchronous();
    }

    @Override
    public void setAllocationSamplingInterval(long bytes) {
        life.mustAnswer();
        events.objects().setSamplingInterval(bytes);
    }

    @Override
    public void setPollingInterval(Duration interval) {
        life.mustAnswer();
        events.objects().setPollingInterval(interval);
    }

    @Override
    public void setExceptionsReported(boolean reported) {
        life.mustAnswer();
        events.reportExceptions(reported);
    }

    @Override
    public List<String> notReported() {
        life.mustAnswer();
        return queries.collector().notReported(events.mask());
    }

    @Override
    public Enumerated<ThreadId> enumerateThreads() {
        life.mustBeActive();
        Stamp at = now();
        List<ThreadId> found = new ArrayList<>();
        for (Thread thread : ids.liveThreads()) {
            if (thread != own) {
                found.add(ids.of(thread));
            }
        }
        return new Enumerated<>(at, found);
    }

    @Override
    public Enumerated<ClassId> enumerateClasses() {
        Stamp at = mayEnumerate(Event.CLASS_LOADS);
        List<ClassId> found = new ArrayList<>();
        if (events.isLogged(Event.CLASS_LOADS)) {
            List<LoggedClasses.Logged> present = events.log().presentClasses();
            if (present == null) {
                throw new ProfilerException(Status.FAILED, "the JVM's lists of classes cannot be read now: try again");
            }
            for (LoggedClasses.Logged each : present) {
                found.add(ids.ofClass(each.number()));
            }
            return new Enumerated<>(at, found);
        }
        for (Class<?> type : loadedClasses()) {
            if (type != null) {
                found.add(ids.of(type));
            }
        }
        return new Enumerated<>(at, found);
    }

    @Override
    public Enumerated<ModuleId> enumerateModules() {
        Stamp at = mayEnumerate(Event.MODULE_LOADS);
        Set<ModuleId> found = new LinkedHashSet<>();
        if (events.isLogged(Event.MODULE_LOADS)) {
            for (Module module : ModuleLayer.boot().modules()) {
                found.add(ids.of(module));
            }
            for (LoggedModules.Logged each : events.log().modules().present()) {
                found.add(ids.ofModule(each.number()));
            }
            return new Enumerated<>(at, new ArrayList<>(found));
        }
        for (Class<?> type : loadedClasses()) {
            if (type != null) {
                found.add(ids.of(type.getModule()));
            }
        }
        return new Enumerated<>(at, new ArrayList<>(found));
    }

    @Override
    public Enumerated<CompiledMethod> enumerateCompiledMethods() {
        Stamp at = mayEnumerate(Event.COMPILED_METHODS);
        Object[] compiled = compiledMethods(true);
        List<CompiledMethod> found = new ArrayList<>(compiled.length);
        for (Object method : compiled) {
            found.add(EventArgument.compiledMethod(method));
        }
        return new Enumerated<>(at, found);
    }

    @Override
    public Optional<CompiledMethod> methodAt(long address) {
        mayEnumerate(Event.COMPILED_METHODS);
        CodeTable code = events.code();
        if (code.begin()) {
            for (Object each : compiledMethods(false)) {
                code.add(EventArgument.compiledMethod(each), EventArgument.sequence(each));
            }
            code.completed();
        }
        return Optional.ofNullable(code.at(address));
    }

    private static Object[] compiledMethods(boolean inlined) {
        Object @Nullable [] compiled = Vm.compiledMethods(inlined);
        if (compiled == null) {
            throw new ProfilerException(
                    Status.FAILED,
                    "the compiled methods cannot be enumerated now: another thread enumerates them, or the program's"
                            + " heap has no room for them");
        }
        return compiled;
    }

    private Stamp mayEnumerate(Event event) {
        life.mustBeActive();
        if (!events.has(event)) {
            throw new ProfilerException(
                    Status.UNSUPPORTED_FOR_ATTACHING_PROFILER, "the enumeration needs a subscription to " + event);
        }
        return now();
    }

    private static @Nullable Class<?>[] loadedClasses() {
        @Nullable Class<?> @Nullable [] loaded = Vm.loadedClasses();
        if (loaded == null) {
            throw new ProfilerException(Status.FAILED, "JVMTI does not enumerate the classes");
        }
        return loaded;
    }

    @Override
    public ThreadId currentThread() {
        life.mustAnswer();
        return ids.of(Thread.currentThread());
    }

    @Override
    public ThreadDescription describe(ThreadId id) {
        life.mustAnswer();
        Thread thread = ids.of(Thread.currentThread()).equals(id) ? Thread.currentThread() : ids.thread(id);
        return new ThreadDescription(id, thread.getName(), id.value(), thread.isDaemon());
    }

    @Override
    public ClassDescription describe(ClassId id) {
        life.mustAnswer();
        LoggedClasses.Logged logged = ids.isOwn(id) ? events.log().classes().get(id.value()) : null;
        if (logged != null) {
            return new ClassDescription(
                    id, logged.name(), Optional.empty(), Optional.ofNullable(logged.loader()), Optional.empty());
        }
        return queries.describe(id);
    }

    @Override
    public ModuleDescription describe(ModuleId id) {
        life.mustAnswer();
        LoggedModules.Logged logged =
                id.runtime() == ids.runtime() ? events.log().modules().get(id.value()) : null;
        return new ModuleDescription(
                id,
                Optional.ofNullable(
                        logged != null ? logged.name() : ids.module(id).getName()));
    }

    @Override
    public <T> void doStackSnapshot(HiddenFrames hidden, StackSnapshotCallback<T> callback, T data) {
        mayWalk().walkCaller(hidden, callback, data);
    }

    @Override
    public <T> void doStackSnapshot(ThreadId id, HiddenFrames hidden, StackSnapshotCallback<T> callback, T data) {
        Stacks walks = mayWalk();
        if (ids.of(Thread.currentThread()).equals(id)) {
            walks.walkCaller(hidden, callback, data);
        } else {
            walks.walk(ids.thread(id), hidden, callback, data);
        }
    }

    @Override
    public Enumerated<ThreadSnapshot> walkAllThreads(HiddenFrames hidden, Locks locks) {
        Stacks walks = mayWalk();
        List<Thread> others = new ArrayList<>();
        for (Thread thread : ids.liveThreads()) {
            if (thread != own) {
                others.add(thread);
            }
        }
        return new Enumerated<>(now(), walks.walkAll(others.toArray(new Thread[0]), hidden, locks));
    }

    private Stacks mayWalk() {
        life.mustBeActive();
        Stacks walks = stacks;
        if (walks == null || !events.has(Event.STACK_SNAPSHOTS)) {
            throw new ProfilerException(
                    Status.UNSUPPORTED_FOR_ATTACHING_PROFILER,
                    "a stack snapshot needs a subscription to " + Event.STACK_SNAPSHOTS);
        }
        return walks;
    }

    @Override
    public void every(Duration interval) {
        life.mustAnswer();
        // Not by Duration.toNanos, as in Host.requestDetach.
        long seconds = interval.getSeconds();
        boolean inRange = seconds >= 0
                && (seconds < MAX_TIMER_SECONDS || seconds == MAX_TIMER_SECONDS && interval.getNano() == 0);
        long nanos = inRange ? seconds * 1_000_000_000 + interval.getNano() : -1;
        if (nanos != 0 && nanos < MIN_TIMER_NANOS) {
            throw new ProfilerException(
                    Status.FAILED, "the interval of a timer is zero, or from 1 ms to 1 hour, not " + interval);
        }
        Vm.setTimer(nanos);
    }

    @Override
    public boolean emit(byte[] bytes) {
        life.mustAnswer();
        if (bytes.length > MAX_EMITTED) {
            throw new ProfilerException(Status.FAILED, "at most 64 KiB can be emitted at once, not " + bytes.length);
        }
        return Vm.emit(bytes);
    }

    @Override
    public void requestDetach(Duration expected) {
        host.requestDetach(expected);
    }
}
