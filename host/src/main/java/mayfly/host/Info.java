package mayfly.host;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import mayfly.api.ClassDescription;
import mayfly.api.ClassId;
import mayfly.api.CompiledMethod;
import mayfly.api.Enumerated;
import mayfly.api.Event;
import mayfly.api.ModuleDescription;
import mayfly.api.ModuleId;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.RuntimeInformation;
import mayfly.api.StackFrame;
import mayfly.api.StackSnapshotCallback;
import mayfly.api.Stamp;
import mayfly.api.Status;
import mayfly.api.ThreadDescription;
import mayfly.api.ThreadId;
import org.jspecify.annotations.Nullable;

/** The runtime, as the profiler asks it. Each method first asks whether it may be answered. */
final class Info implements ProfilerInfo {
    private static final int MOST_EMITTED = 64 << 10;

    private final Host host;
    private final Life life;
    private final Events events;
    private final Ids ids;

    Info(Host host, Events events) {
        this.host = host;
        this.life = host.life();
        this.events = events;
        this.ids = events.ids();
    }

    @Override
    public RuntimeInformation runtimeInformation() {
        life.mustAnswer();
        return new RuntimeInformation(Ids.RUNTIME, Runtime.version().feature(), System.getProperty("java.vm.version", ""),
                System.getProperty("java.vm.name", ""));
    }

    @Override
    public Set<Event> eventMask() {
        life.mustAnswer();
        return events.mask();
    }

    @Override
    public void setEventMask(Set<Event> wanted) {
        life.mustAnswer();
        events.set(wanted);
    }

    @Override
    public List<String> notReported() {
        life.mustAnswer();
        return Collector.current().notReported(events.mask());
    }

    @Override
    public Enumerated<ThreadId> enumerateThreads() {
        life.mustBeActive();
        Stamp at = events.now();
        List<ThreadId> found = new ArrayList<>();
        for (Thread thread : Ids.liveThreads()) {
            found.add(ids.of(thread));
        }
        return new Enumerated<>(at, found);
    }

    @Override
    public Enumerated<ClassId> enumerateClasses() {
        Stamp at = mayEnumerate(Event.CLASS_LOADS);
        List<ClassId> found = new ArrayList<>();
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
        Object[] compiled = Vm.compiledMethods();
        if (compiled == null) {
            throw new ProfilerException(Status.FAILED, "the compiled methods are being enumerated by another thread");
        }
        List<CompiledMethod> found = new ArrayList<>(compiled.length);
        for (Object method : compiled) {
            if (method != null) {
                found.add(Events.compiledMethod(method));
            }
        }
        return new Enumerated<>(at, found);
    }

    private Stamp mayEnumerate(Event event) {
        life.mustBeActive();
        if (!events.has(event)) {
            throw new ProfilerException(Status.UNSUPPORTED_FOR_ATTACHING_PROFILER, "enumerating needs " + event);
        }
        return events.now();
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
        return new ThreadDescription(id, thread.getName(), thread.getId(), thread.isDaemon());
    }

    @Override
    public ClassDescription describe(ClassId id) {
        life.mustAnswer();
        Class<?> type = ids.type(id);
        ClassLoader loader = type.getClassLoader();
        Optional<String> loaderName = loader == null ? Optional.empty()
                : Optional.of(loader.getClass().getName() + '@' + Integer.toHexString(System.identityHashCode(loader)));
        return new ClassDescription(id, type.getName(), ids.of(type.getModule()), loaderName);
    }

    @Override
    public ModuleDescription describe(ModuleId id) {
        life.mustAnswer();
        return new ModuleDescription(id, Optional.ofNullable(ids.module(id).getName()));
    }

    @Override
    public <T> void doStackSnapshot(StackSnapshotCallback<T> callback, T data) {
        mayWalk();
        StackTraceElement[] frames = new Throwable().getStackTrace();
        report(Arrays.asList(frames).subList(1, frames.length), callback, data);
    }

    @Override
    public <T> void doStackSnapshot(ThreadId id, StackSnapshotCallback<T> callback, T data) {
        mayWalk();
        if (ids.of(Thread.currentThread()).equals(id)) {
            doStackSnapshot(callback, data);
            return;
        }
        Thread thread = ids.thread(id);
        StackTraceElement[] frames = thread.getStackTrace();
        if (frames.length == 0 && !thread.isAlive()) {
            throw new ProfilerException(Status.THREAD_GONE);
        }
        report(Arrays.asList(frames), callback, data);
    }

    private void mayWalk() {
        life.mustBeActive();
        if (!events.has(Event.STACK_SNAPSHOTS)) {
            throw new ProfilerException(Status.UNSUPPORTED_FOR_ATTACHING_PROFILER, "walking needs " + Event.STACK_SNAPSHOTS);
        }
    }

    private static <T> void report(List<StackTraceElement> frames, StackSnapshotCallback<T> callback, T data) {
        for (Iterator<StackTraceElement> i = frames.iterator(); i.hasNext();) {
            StackTraceElement frame = i.next();
            if (!callback.frame(new StackFrame(frame.getClassName(), frame.getMethodName(),
                    frame.isNativeMethod() ? -1 : frame.getLineNumber(), frame.isNativeMethod()), data)) {
                throw new ProfilerException(Status.STACK_SNAPSHOT_ABORTED);
            }
        }
    }

    @Override
    public boolean emit(byte[] bytes) {
        life.mustAnswer();
        if (bytes.length > MOST_EMITTED) {
            throw new ProfilerException(Status.FAILED, "at most 64 KiB can be emitted at once, not " + bytes.length);
        }
        return Vm.emit(bytes);
    }

    @Override
    public void requestDetach(Duration expected) {
        host.requestDetach(expected);
    }
}
