package mayfly.profilers.testing;

import static mayfly.profilers.testing.Outcome.outcome;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import mayfly.api.ClassDescription;
import mayfly.api.ClassId;
import mayfly.api.CompiledMethod;
import mayfly.api.Event;
import mayfly.api.ModuleId;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;
import mayfly.api.Suspension;
import mayfly.api.ThreadId;
import mayfly.api.code.LoaderId;
import mayfly.api.code.MethodId;
import mayfly.api.event.AllocationSample;
import mayfly.api.event.Compilation;
import mayfly.api.event.CompilationStart;
import mayfly.api.event.ContentionSample;
import mayfly.api.event.Deoptimization;
import mayfly.api.event.GarbageCollection;
import mayfly.api.event.ObjectMonitor;
import mayfly.api.event.ThreadAllocation;

/**
 * Subscribes to the events named in its data, asynchronously, and records a line for each. The first word of the data
 * can be {@code default}, for the host's choice, or {@code synchronous}. Commands: {@code seen} answers with the lines,
 * {@code count BEGIN} with the number of those that begin so,
 * {@code asynchronous} with the asynchronous events, {@code classes}, {@code modules} and {@code compiled} with what is
 * present, {@code threads} with the host's threads on which callbacks ran, {@code mask EVENTS} changes the
 * subscription, and {@code probe PATTERN} adds probes.
 */
public final class LoggingProfiler implements Profiler {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final Set<String> threads = java.util.concurrent.ConcurrentHashMap.newKeySet();
    private ProfilerInfo info;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> clientData) {
        info = runtime;
        subscribe(new String(clientData.orElseThrow(), StandardCharsets.UTF_8));
    }

    private void subscribe(String words) {
        Set<Event> events = EnumSet.noneOf(Event.class);
        for (String word : words.split(" ")) {
            if (!word.isEmpty() && !word.equals("default") && !word.equals("synchronous")) {
                events.add(Event.valueOf(word));
            }
        }
        if (words.startsWith("default")) {
            info.setEventMask(events);
        } else if (words.startsWith("synchronous")) {
            info.setEventMask(events, Set.of());
        } else {
            info.setEventMask(Set.of(), events);
        }
    }

    private void add(Stamp at, String line) {
        threads.add(Thread.currentThread().getName());
        if (at.nanos() > System.nanoTime()) {
            lines.add("impossible time");
        }
        lines.add(line);
    }

    private String name(ThreadId thread) {
        try {
            return info.describe(thread).name();
        } catch (ProfilerException e) {
            return e.status().name();
        }
    }

    private String describe(ClassId type) {
        try {
            ClassDescription description = info.describe(type);
            return description.name() + " by " + description.loader().orElse("boot") + " in "
                    + description.module().isPresent();
        } catch (ProfilerException e) {
            return e.status().name();
        }
    }

    @Override
    public void threadCreated(Stamp at, ThreadId thread, Optional<ThreadId> creator) {
        String name = name(thread);
        add(at, "thread + " + thread.value() + " " + name);
        add(at, "creator of " + name + ": " + creator.map(this::name).orElse("-"));
    }

    @Override
    public void threadDestroyed(Stamp at, ThreadId thread) {
        add(at, "thread - " + thread.value());
    }

    @Override
    public void virtualThreadStarted(Stamp at, ThreadId thread) {
        add(at, "virtual + " + thread.value());
    }

    @Override
    public void classLoadStarted(Stamp at, Optional<String> className, Optional<LoaderId> loader) {
        add(
                at,
                "starting " + at.sequence() + " " + className.orElse("-") + " by "
                        + loader.map(id -> info.describe(id).className()).orElse("boot"));
    }

    @Override
    public void classLoaded(Stamp at, ClassId type) {
        String described = describe(type);
        add(at, "class + " + type.value() + " " + described);
        add(at, "loaded " + at.sequence() + " " + described.split(" ")[0]);
    }

    @Override
    public void moduleLoaded(Stamp at, ModuleId module) {
        add(at, "module + " + module.value() + " " + name(module));
    }

    @Override
    public void moduleUnloaded(Stamp at, ModuleId module) {
        add(at, "module - " + module.value());
    }

    private String name(ModuleId module) {
        try {
            return info.describe(module).name().orElse("-");
        } catch (ProfilerException e) {
            return e.status().name();
        }
    }

    @Override
    public void compilationStarted(Stamp at, CompilationStart start) {
        add(
                at,
                "compiling " + start.number() + " " + start.tier() + " " + start.className() + "." + start.method()
                        + (start.loop().isPresent() ? " in a loop" : ""));
    }

    @Override
    public void methodDeoptimized(Stamp at, Deoptimization trap) {
        add(
                at,
                "trap " + trap.compilation() + " " + trap.tier() + " " + trap.className() + "." + trap.method()
                        + trap.descriptor() + " " + trap.bytecodeIndex() + " "
                        + trap.loop().orElse(-1) + " "
                        + trap.reason() + " " + trap.action());
    }

    @Override
    public void methodCompiled(Stamp at, CompiledMethod method) {
        add(at, "compiled " + describe(method));
    }

    @Override
    public void allocationSampled(Stamp at, AllocationSample sample) {
        add(at, "allocation of " + sample.type().value());
    }

    @Override
    public void contentionStarted(Stamp at, ThreadId thread, ObjectMonitor monitor) {
        add(at, "monitor of " + monitor.type().value());
    }

    @Override
    public void waitStarted(Stamp at, ThreadId thread, ObjectMonitor monitor) {
        add(at, "monitor of " + monitor.type().value());
    }

    @Override
    public void allocationObserved(Stamp at, ThreadAllocation allocation) {
        add(at, "allocation of thread " + allocation.thread().value());
    }

    @Override
    public void contentionObserved(Stamp at, ContentionSample sample) {
        add(at, "monitor of thread " + sample.thread().value());
    }

    private static String describe(CompiledMethod method) {
        return method.className() + "." + method.name() + method.descriptor() + " with "
                + method.inlined().stream()
                        .map(each -> each.className() + "." + each.name() + each.descriptor())
                        .collect(Collectors.joining(" "))
                + (method.allInlined() ? "" : " and others");
    }

    @Override
    public void methodEntered(MethodId method) {
        lines.add("entered " + method.number());
    }

    @Override
    public void classUnloaded(Stamp at, ClassId type) {
        add(at, "class - " + type.value());
    }

    @Override
    public void garbageCollectionStarted(Stamp at) {
        add(at, "collection started");
    }

    @Override
    public void garbageCollectionFinished(Stamp at) {
        add(at, "collection finished");
    }

    @Override
    public void garbageCollected(Stamp at, GarbageCollection collection) {
        add(
                at,
                "GC(" + collection.number() + ") " + collection.kind() + "|" + collection.cause() + "|"
                        + collection.pause().toNanos() + "|"
                        + collection.usedBefore().orElse(-1) + "|"
                        + collection.usedAfter().orElse(-1) + "|"
                        + collection.capacity().orElse(-1));
        add(
                at,
                "during " + collection.suspension().orElse(-1) + ": GC(" + collection.number() + ") "
                        + collection.kind());
    }

    @Override
    public void runtimeSuspended(Stamp at, Suspension suspension) {
        add(
                at,
                "suspended " + suspension.number() + ": " + suspension.reason() + " "
                        + suspension.total().toNanos());
    }

    @Override
    public void methodInstalled(Stamp at, Compilation compilation) {
        add(
                at,
                "code " + compilation.tier() + " " + compilation.className() + "." + compilation.method()
                        + compilation.descriptor() + (compilation.loop().isPresent() ? " in a loop" : ""));
    }

    @Override
    public byte[] command(byte[] command) {
        String[] words = new String(command, StandardCharsets.UTF_8).split(" ", 2);
        String answer = switch (words[0]) {
            case "seen" -> String.join("\n", lines);
            case "count" ->
                Long.toString(
                        lines.stream().filter(line -> line.startsWith(words[1])).count());
            case "asynchronous" -> info.asynchronousEvents().toString();
            case "threads" -> String.join("\n", threads);
            case "classes" ->
                info.enumerateClasses().items().stream().map(this::describe).collect(Collectors.joining("\n"));
            case "modules" ->
                info.enumerateModules().items().stream().map(this::name).collect(Collectors.joining("\n"));
            case "compiled" ->
                info.enumerateCompiledMethods().items().stream()
                        .map(LoggingProfiler::describe)
                        .collect(Collectors.joining("\n"));
            case "probe" -> Integer.toString(info.addProbes(words[1]).methods().size());
            default -> outcome(() -> subscribe(words.length < 2 ? "" : words[1]));
        };
        return answer.getBytes(StandardCharsets.UTF_8);
    }
}
