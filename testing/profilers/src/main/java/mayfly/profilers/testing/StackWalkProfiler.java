package mayfly.profilers.testing;

import static mayfly.profilers.testing.Outcome.outcome;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
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

/**
 * Walks stacks and queries ids on the commands in {@link #command}; it answers {@code bytes N} with N bytes. It calls
 * no method that a program can override.
 */
public final class StackWalkProfiler implements Profiler {
    private ProfilerInfo info;
    /** Stacks by the name of the class that was being loaded. */
    private final Map<String, String> ofLoads = new HashMap<>();

    private volatile HiddenFrames hidden = HiddenFrames.OMIT;
    /** The name of the thread whose end callback waits; empty if none is to wait. */
    private volatile String toHold = "";
    /** The thread whose end callback has waited last. */
    private volatile ThreadId held;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> clientData) {
        begin(runtime);
    }

    @Override
    public void initialize(ProfilerInfo runtime) {
        begin(runtime);
    }

    private void begin(ProfilerInfo runtime) {
        info = runtime;
        info.setEventMask(EnumSet.of(Event.STACK_SNAPSHOTS, Event.CLASS_LOADS, Event.THREADS));
    }

    @Override
    public void classLoaded(Stamp at, ClassId type) {
        String name = info.describe(type).name();
        if (name.startsWith("mayfly.targets.")) {
            StringBuilder frames = new StringBuilder();
            info.doStackSnapshot(hidden, StackWalkProfiler::add, frames);
            synchronized (ofLoads) {
                ofLoads.put(name, frames.toString());
            }
        }
    }

    @Override
    public void threadDestroyed(Stamp at, ThreadId thread) {
        if (info.describe(thread).name().equals(toHold)) {
            held = thread;
            while (!toHold.isEmpty()) {
                Thread.onSpinWait();
            }
        }
    }

    private static boolean add(mayfly.api.StackFrame frame, StringBuilder frames) {
        frames.append(frame.className()).append('.').append(frame.method()).append('\n');
        return true;
    }

    @Override
    public byte[] command(byte[] command) {
        if (command.length > 5 && command[0] == 'b') {
            return new byte[Integer.parseInt(new String(command, StandardCharsets.UTF_8).substring("bytes ".length()))];
        }
        String[] words = new String(command, StandardCharsets.UTF_8).split(" ", 2);
        String rest = words.length > 1 ? words[1] : "";
        String answer = switch (words[0]) {
            case "ids" ->
                info.enumerateThreads().items().stream()
                        .map(id -> id.runtime() + " " + id.value() + " "
                                + info.describe(id).name())
                        .collect(Collectors.joining("\n"));
            case "stack" -> stack(rest, HiddenFrames.OMIT);
            case "stack-shown" -> stack(rest, HiddenFrames.SHOW);
            case "abort" -> abort(rest);
            case "own" -> own(HiddenFrames.OMIT);
            case "load-stack" -> loadStack(rest);
            case "show" -> (hidden = HiddenFrames.SHOW).name();
            case "foreign" -> foreign();
            case "hold-end" -> holdEnd(rest);
            case "let-go" -> holdEnd("");
            case "held" -> held == null ? "" : toHold;
            case "stack-held" -> stackHeld();
            case "runtime" -> info.runtimeInformation().toString();
            default -> throw new ProfilerException(Status.FAILED, "no such command: " + words[0]);
        };
        return answer.getBytes(StandardCharsets.UTF_8);
    }

    /** Walks the thread of that name; the last line is the result of the walk. */
    private String stack(String name, HiddenFrames shown) {
        StringBuilder frames = new StringBuilder();
        for (ThreadId id : info.enumerateThreads().items()) {
            if (info.describe(id).name().equals(name)) {
                frames.append(outcome(() -> info.doStackSnapshot(id, shown, StackWalkProfiler::add, frames)));
            }
        }
        return frames.toString();
    }

    private String holdEnd(String name) {
        toHold = name;
        return "OK";
    }

    private String stackHeld() {
        StringBuilder frames = new StringBuilder();
        return frames.append(
                        outcome(() -> info.doStackSnapshot(held, HiddenFrames.OMIT, StackWalkProfiler::add, frames)))
                .toString();
    }

    /** Stops the walk of the thread of that name at its third frame; the last line is the result of the walk. */
    private String abort(String name) {
        List<String> frames = new ArrayList<>();
        for (ThreadId id : info.enumerateThreads().items()) {
            if (info.describe(id).name().equals(name)) {
                String result = outcome(() -> info.doStackSnapshot(
                        id,
                        (frame, to) -> {
                            to.add(frame.className() + "." + frame.method());
                            return to.size() < 3;
                        },
                        frames));
                frames.add(result);
            }
        }
        return String.join("\n", frames);
    }

    private String own(HiddenFrames shown) {
        StringBuilder frames = new StringBuilder();
        info.doStackSnapshot(shown, StackWalkProfiler::add, frames);
        return frames.toString();
    }

    private String loadStack(String name) {
        synchronized (ofLoads) {
            return ofLoads.getOrDefault(name, "");
        }
    }

    /** Returns the results of calls with ids of another runtime. */
    private String foreign() {
        int other = info.runtimeInformation().runtime() + 1;
        ThreadId thread = new ThreadId(other, info.currentThread().value());
        return String.join(
                " ",
                outcome(() -> info.describe(thread)),
                outcome(() -> info.describe(new ClassId(other, 1))),
                outcome(() -> info.describe(new ModuleId(other, 1))),
                outcome(() -> info.doStackSnapshot(thread, (frame, data) -> true, "")),
                outcome(() -> info.describe(new ThreadId(other - 1, Long.MAX_VALUE))));
    }
}
