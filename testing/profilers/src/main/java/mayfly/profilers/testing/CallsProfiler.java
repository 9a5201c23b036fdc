package mayfly.profilers.testing;

import static mayfly.profilers.testing.Outcome.outcome;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import mayfly.api.ClassId;
import mayfly.api.Event;
import mayfly.api.HiddenFrames;
import mayfly.api.ModuleId;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;
import mayfly.api.Status;
import mayfly.api.ThreadId;
import mayfly.api.code.FieldDescription;
import mayfly.api.code.FieldId;
import mayfly.api.code.LoaderId;
import mayfly.api.code.MethodId;

/**
 * Makes every call of {@link ProfilerInfo} that can fail, on the commands in {@link #command}. Its data are
 * {@code linger}: its initialisation returns when the target releases it; or {@code complete-later FILE}: its
 * completion callback creates the file, and returns when the target releases it.
 */
public final class CallsProfiler implements Profiler {
    private static final Set<Event> EVENTS = EnumSet.of(
            Event.THREADS,
            Event.CLASS_LOADS,
            Event.MODULE_LOADS,
            Event.COMPILED_METHODS,
            Event.STACK_SNAPSHOTS,
            Event.METHOD_PROBES);
    /** A pattern that matches no method. */
    private static final String NO_METHOD = "com.example.Nothing.nothing";

    private final Object lock = new Object();
    private volatile boolean locking;
    private volatile Set<Event> events = EVENTS;
    private final AtomicReference<Path> nested = new AtomicReference<>();
    private final Counts counts = new Counts();
    private ProfilerInfo info;
    private String script = "";
    private String version = "";
    private ThreadId thread;
    private ClassId type;
    private ModuleId module;
    private LoaderId loader;
    private MethodId method;
    private FieldId field;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> data) {
        info = runtime;
        version = runtime.runtimeInformation().version();
        script = data.map(bytes -> new String(bytes, StandardCharsets.UTF_8)).orElse("");
        info.setEventMask(events);
        if (script.equals("linger")) {
            awaitRelease();
        }
    }

    @Override
    public void profilerAttachComplete() {
        if (script.startsWith("complete-later ")) {
            write(Path.of(script.substring("complete-later ".length())), "");
            awaitRelease();
        }
    }

    private static void awaitRelease() {
        while (System.getProperty("mayfly.testing.release") == null) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void threadCreated(Stamp at, ThreadId created) {
        counts.add("threadCreated");
    }

    /** Requests the detach if that was commanded, and makes all calls before the callback returns. */
    @Override
    public void classLoaded(Stamp at, ClassId loaded) {
        Path file = nested.getAndSet(null);
        if (file != null) {
            info.requestDetach(Duration.ZERO);
            write(file, calls() + request());
        }
    }

    @Override
    public void garbageCollectionStarted(Stamp at) {
        if (locking) {
            synchronized (lock) {
                counts.add("waited");
            }
        }
    }

    /**
     * Starts a thread of the profiler that repeatedly holds a lock while it makes all calls and collects, until the
     * callback of a collection has waited for the lock that often. It then requests the detach, with the lock held.
     */
    private String lockAndCall(int rounds, Path result) {
        events = EnumSet.copyOf(EVENTS);
        events.add(Event.GARBAGE_COLLECTIONS);
        info.setEventMask(events);
        calls(); // the classes that the calls use are loaded now
        locking = true;
        new Thread(() -> holdAndCall(rounds, result), "holds a lock").start();
        return "started";
    }

    private void holdAndCall(int rounds, Path result) {
        String last = "";
        while (counts.of("waited") < rounds) {
            synchronized (lock) {
                last = calls();
                System.gc();
            }
        }
        synchronized (lock) {
            System.gc();
            last += request();
            locking = false;
        }
        write(result, last);
    }

    /** Writes a file of this name, which appears when it is complete. */
    private static void write(Path file, String text) {
        try {
            Path part = file.resolveSibling("part");
            Files.writeString(part, text);
            Files.move(part, file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public byte[] command(byte[] command) {
        String[] words = new String(command, StandardCharsets.UTF_8).split(" ", 2);
        String answer = switch (words[0]) {
            case "version" -> version;
            case "refused" -> refused();
            case "count" -> Long.toString(counts.of(words[1]));
            case "detach-and-call" -> calls() + detach() + calls() + request();
            case "detach-in-callback" -> {
                String before = calls(); // the classes that the calls use are loaded now
                nested.set(Path.of(words[1]));
                yield before;
            }
            case "lock-and-call" -> {
                String[] rest = words[1].split(" ", 2);
                yield lockAndCall(Integer.parseInt(rest[0]), Path.of(rest[1]));
            }
            case "detach-out-of-range" ->
                outcome(() -> info.requestDetach(Duration.ofNanos(-1))) + " "
                        + outcome(() -> info.requestDetach(Duration.ofHours(25)));
            default -> throw new IllegalArgumentException(words[0]);
        };
        return answer.getBytes(StandardCharsets.UTF_8);
    }

    /** Makes each call that a profiler without a subscription may not make; the last line is the subscription. */
    private String refused() {
        info.setEventMask(EnumSet.noneOf(Event.class));
        ThreadId self = info.currentThread();
        return line("EXCEPTIONS", () -> info.setEventMask(EnumSet.of(Event.EXCEPTIONS)))
                + line("setExceptionsReported", () -> info.setExceptionsReported(false))
                + line("undeclared", () -> info.setEventMask(EnumSet.of(Event.SUSPENSIONS)))
                + line("with others", () -> info.setEventMask(EnumSet.of(Event.THREADS, Event.EXCEPTIONS)))
                + line("enumerateClasses", () -> info.enumerateClasses())
                + line("enumerateModules", () -> info.enumerateModules())
                + line("enumerateCompiledMethods", () -> info.enumerateCompiledMethods())
                + line("methodAt", () -> info.methodAt(0))
                + line("doStackSnapshot of itself", () -> info.doStackSnapshot((frame, data) -> true, ""))
                + line("doStackSnapshot", () -> info.doStackSnapshot(self, (frame, data) -> true, ""))
                + line("walkAllThreads", () -> info.walkAllThreads(HiddenFrames.OMIT))
                + probeCalls()
                + info.eventMask();
    }

    private String detach() {
        info.requestDetach(Duration.ZERO);
        return "-\n";
    }

    private String request() {
        return "requestDetach " + outcome(() -> info.requestDetach(Duration.ZERO)) + "\n";
    }

    /** Returns the name of each method and the result of a call, one line each. */
    private String calls() {
        if (thread == null) {
            thread = info.currentThread();
            type = info.enumerateClasses().items().get(0);
            module = info.enumerateModules().items().get(0);
            loader = loader();
            method = info.methods(type).get(0).id();
            field = field();
        }
        return line("eventMask", () -> info.eventMask())
                + line("setEventMask", () -> info.setEventMask(events))
                + line("asynchronousEvents", () -> info.asynchronousEvents())
                + line("setAllocationSamplingInterval", () -> info.setAllocationSamplingInterval(1 << 20))
                + line("setPollingInterval", () -> info.setPollingInterval(Duration.ofMillis(10)))
                + line("setExceptionsReported", () -> unsupported(() -> info.setExceptionsReported(true)))
                + line("notReported", () -> info.notReported())
                + line("enumerateThreads", () -> info.enumerateThreads())
                + line("enumerateClasses", () -> info.enumerateClasses())
                + line("enumerateModules", () -> info.enumerateModules())
                + line("enumerateCompiledMethods", () -> info.enumerateCompiledMethods())
                + line("methodAt", () -> info.methodAt(0))
                + line("currentThread", () -> info.currentThread())
                + line("describe", () -> info.describe(thread))
                + line("describe", () -> info.describe(type))
                + line("describe", () -> info.describe(module))
                + line("describe", () -> info.describe(loader))
                + line("describe", () -> info.describe(method))
                + line("describe", () -> info.describe(field))
                + line("structure", () -> info.structure(type))
                + line("methods", () -> info.methods(type))
                + line("fields", () -> info.fields(type))
                + line("lines", () -> info.lines(method))
                + line("bytecodes", () -> info.bytecodes(method))
                + line("doStackSnapshot", () -> info.doStackSnapshot((frame, data) -> true, ""))
                + line(
                        "doStackSnapshot",
                        () -> info.doStackSnapshot(thread, HiddenFrames.SHOW, (frame, data) -> true, ""))
                + line("forceGarbageCollection", () -> info.forceGarbageCollection())
                + line("classHistogram", () -> info.classHistogram())
                + line("countReferences", () -> info.countReferences(Duration.ofMinutes(1)))
                + line("pathToLoader", () -> info.pathToLoader(type))
                + line("walkAllThreads", () -> info.walkAllThreads(HiddenFrames.OMIT))
                + probeCalls()
                + line("monitorOwner", () -> unsupported(() -> info.monitorOwner()))
                + line("every", () -> info.every(Duration.ZERO))
                + line("emit", () -> info.emit(new byte[1]));
    }

    private String probeCalls() {
        return line("addProbes", () -> info.addProbes(NO_METHOD))
                + line("removeProbes", () -> info.removeProbes(NO_METHOD))
                + line("setProbesReporting", () -> info.setProbesReporting(NO_METHOD, true))
                + line("probes", () -> info.probes())
                + line("framesOfReplacedCode", () -> info.framesOfReplacedCode());
    }

    private FieldId field() {
        for (ClassId each : info.enumerateClasses().items()) {
            List<FieldDescription> fields = info.fields(each);
            if (!fields.isEmpty()) {
                return fields.get(0).id();
            }
        }
        throw new ProfilerException(Status.FAILED, "no class has a field");
    }

    /** Returns a loader of the program or of the JDK. */
    private LoaderId loader() {
        for (ClassId each : info.enumerateClasses().items()) {
            Optional<LoaderId> found = info.describe(each).loaderId();
            if (found.isPresent()) {
                return found.get();
            }
        }
        throw new ProfilerException(Status.FAILED, "every class is of the boot loader");
    }

    /** Makes a call that is refused to an attached profiler, or without a subscription that this one lacks. */
    private static void unsupported(Runnable call) {
        try {
            call.run();
            throw new IllegalStateException("the call is permitted");
        } catch (ProfilerException e) {
            if (e.status() != Status.UNSUPPORTED_FOR_ATTACHING_PROFILER) {
                throw e;
            }
        }
    }

    private static String line(String name, Runnable call) {
        return name + " " + outcome(call) + "\n";
    }
}
