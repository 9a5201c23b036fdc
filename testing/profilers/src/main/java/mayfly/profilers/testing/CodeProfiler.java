package mayfly.profilers.testing;

import static mayfly.profilers.testing.Outcome.outcome;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import mayfly.api.ClassDescription;
import mayfly.api.ClassId;
import mayfly.api.Event;
import mayfly.api.HiddenFrames;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.StackFrame;
import mayfly.api.Stamp;
import mayfly.api.Status;
import mayfly.api.ThreadId;
import mayfly.api.code.ClassStructure;
import mayfly.api.code.FieldDescription;
import mayfly.api.code.FieldId;
import mayfly.api.code.LoaderDescription;
import mayfly.api.code.LoaderId;
import mayfly.api.code.MethodDescription;
import mayfly.api.code.MethodId;
import mayfly.api.heap.ClassCount;
import mayfly.api.heap.ReferenceCount;
import mayfly.api.heap.ReferenceStep;
import mayfly.api.thread.Blocker;
import mayfly.api.thread.ThreadSnapshot;

/**
 * Asks about classes, methods, loaders and frames, on the commands in {@link #command}. Its data are the events that it
 * subscribes to.
 */
public final class CodeProfiler implements Profiler {
    private final Counts counts = new Counts();
    /** Stacks by the name of the class that was being loaded. */
    private final Map<String, String> ofLoads = new HashMap<>();

    private ProfilerInfo info;
    private ClassId keptClass;
    private LoaderId keptLoader;
    private MethodId keptMethod;
    private FieldId keptField;
    private MethodId seenMethod;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> data) {
        info = runtime;
        Set<Event> events = EnumSet.noneOf(Event.class);
        String words =
                data.map(bytes -> new String(bytes, StandardCharsets.UTF_8)).orElse("");
        for (Event event : Event.values()) {
            if (words.contains(event.name())) {
                events.add(event);
            }
        }
        info.setEventMask(events);
    }

    @Override
    public void classLoaded(Stamp at, ClassId type) {
        ClassDescription loaded = info.describe(type);
        if (loaded.name().startsWith("mayfly.targets.")) {
            StringBuilder frames = new StringBuilder();
            info.doStackSnapshot(this::add, frames);
            synchronized (ofLoads) {
                ofLoads.put(loaded.name(), frames.toString());
            }
        }
    }

    @Override
    public void classUnloaded(Stamp at, ClassId type) {
        counts.add("class unloaded");
    }

    @Override
    public void loaderUnloaded(Stamp at, LoaderId loader) {
        counts.add(loader.equals(keptLoader) ? "kept loader unloaded" : "other loader unloaded");
    }

    @Override
    public byte[] command(byte[] command) {
        String[] words = new String(command, StandardCharsets.UTF_8).split(" ", 2);
        String rest = words.length > 1 ? words[1] : "";
        String answer = switch (words[0]) {
            case "count" -> Long.toString(counts.of(rest));
            case "methods" ->
                lines(
                        info.methods(named(rest)),
                        each -> each.name() + each.descriptor() + " " + each.modifiers() + " " + each.codeSize());
            case "lines" -> lines(info.methods(named(rest)), this::linesOf);
            case "code" -> lines(info.methods(named(rest)), this::codeOf);
            case "described-methods" ->
                lines(info.methods(named(rest)), each -> {
                    MethodDescription again = info.describe(each.id());
                    // Not by equals: the JDK would generate code for it, and cache the code with the class.
                    return Boolean.toString(again.name().equals(each.name())
                            && again.descriptor().equals(each.descriptor())
                            && again.modifiers() == each.modifiers()
                            && again.codeSize() == each.codeSize());
                });
            case "described-fields" ->
                lines(
                        info.fields(named(rest)),
                        each -> Boolean.toString(info.describe(each.id()).name().equals(each.name())));
            case "fields" ->
                lines(info.fields(named(rest)), each -> each.name() + " " + each.descriptor() + " " + each.modifiers());
            case "structure" -> structure(info.structure(named(rest)));
            case "collect" -> collect();
            case "histogram" -> lines(info.classHistogram().items(), this::count);
            case "references" -> references(Long.parseLong(rest));
            case "all-threads" -> lines(info.walkAllThreads(HiddenFrames.OMIT).items(), this::thread);
            case "every" -> outcome(() -> info.every(Duration.ofMillis(Long.parseLong(rest))));
            case "late" -> late(Long.parseLong(rest));
            case "path" -> path(named(rest));
            case "path-of-seen" -> pathOfSeen();
            case "element" -> element(rest);
            case "load-stack" -> loadStack(rest);
            case "stack" -> stack(rest);
            case "lines-of-frames" -> linesOfFrames();
            case "code-of-frame" -> outcome(() -> info.bytecodes(seenMethod));
            case "keep" -> keep(named(rest));
            case "kept" -> kept();
            case "loader" -> loader();
            case "foreign" -> foreign();
            case "ids" -> ids(named(rest));
            case "use-ids" -> useIds(rest.split(" "));
            default -> throw new ProfilerException(Status.FAILED, "no such command: " + words[0]);
        };
        return answer.getBytes(StandardCharsets.UTF_8);
    }

    private String linesOf(MethodDescription method) {
        return method.name() + method.descriptor() + " "
                + info.lines(method.id()).stream()
                        .map(each -> each.bytecodeIndex() + ":" + each.line())
                        .collect(Collectors.joining(","));
    }

    private String codeOf(MethodDescription method) {
        StringBuilder code = new StringBuilder(method.name() + method.descriptor() + " ");
        try {
            for (byte each : info.bytecodes(method.id())) {
                code.append(Character.forDigit(each >> 4 & 15, 16)).append(Character.forDigit(each & 15, 16));
            }
        } catch (ProfilerException e) {
            code.append(e.status());
        }
        return code.toString();
    }

    private static <T> String lines(List<T> items, java.util.function.Function<T, String> line) {
        return items.stream().map(line).collect(Collectors.joining("\n"));
    }

    /** Returns the last class of that name, which may be one of several. */
    private ClassId named(String name) {
        ClassId found = null;
        for (ClassId id : info.enumerateClasses().items()) {
            found = nameOf(id).equals(name) ? id : found;
        }
        if (found == null) {
            throw new ProfilerException(Status.FAILED, "no class is named " + name);
        }
        return found;
    }

    /** The class may have been unloaded since it was enumerated. */
    private String nameOf(ClassId id) {
        try {
            return info.describe(id).name();
        } catch (ProfilerException e) {
            return e.status().name();
        }
    }

    private String structure(ClassStructure of) {
        return of.modifiers() + "\n" + of.superclass().map(this::nameOf).orElse("-") + "\n"
                + of.interfaces().stream().map(this::nameOf).collect(Collectors.joining(" "))
                + "\n" + of.instanceSize().orElse(-1);
    }

    @Override
    public void timer(Stamp at, long missed) {
        counts.add("ticks");
        for (long i = 0; i < missed; i++) {
            counts.add("missed ticks");
        }
        if (!Thread.currentThread().getName().equals("Mayfly host")) {
            counts.add("ticks on another thread");
        }
    }

    /** Keeps the host's thread, which is also that of the timer, for some milliseconds. */
    private static String late(long millis) {
        for (long until = System.nanoTime() + millis * 1_000_000; System.nanoTime() < until; ) {
            Thread.onSpinWait();
        }
        return "late";
    }

    /** Returns the name of a thread with its values, and then its frames, in one line. */
    private String thread(ThreadSnapshot of) {
        StringBuilder frames = new StringBuilder();
        of.frames().forEach(frame -> add(frame, frames));
        return of.name() + "|" + of.state() + "|" + of.cpuNanos().orElse(-1) + "|"
                + of.blocker().map(Blocker::className).orElse("-") + "|"
                + frames.toString().replace("\n", ",");
    }

    private String path(ClassId type) {
        return info.pathToLoader(type)
                .map(steps -> lines(steps, CodeProfiler::step))
                .orElse("none");
    }

    private static String step(ReferenceStep of) {
        return of.kind() + " " + of.name().orElse("-") + " " + of.index() + " " + of.className() + " "
                + of.represented().orElse("-") + " " + of.thread().isPresent();
    }

    /** Returns the outcome of a search for the path to a class that a walk has shown. */
    private String pathOfSeen() {
        ClassId[] seen = new ClassId[1];
        for (ThreadId id : info.enumerateThreads().items()) {
            info.doStackSnapshot(
                    id,
                    (frame, to) -> {
                        to[0] = frame.type().orElse(to[0]);
                        return true;
                    },
                    seen);
        }
        return outcome(() -> info.pathToLoader(seen[0]));
    }

    /** Returns the outcome as a name, or the status of the failure. */
    private String collect() {
        try {
            return info.forceGarbageCollection().name();
        } catch (ProfilerException e) {
            return e.status().name();
        }
    }

    /** Returns the counts of references in a visit of at most so many milliseconds, or the status of the failure. */
    private String references(long millis) {
        try {
            return lines(info.countReferences(Duration.ofMillis(millis)).items(), this::count);
        } catch (ProfilerException e) {
            return e.status().name();
        }
    }

    private String count(ReferenceCount of) {
        return of.from().map(this::nameOf).orElse("-") + " "
                + of.to().map(this::nameOf).orElse("-") + " " + of.kind() + " " + of.references() + " " + of.bytes();
    }

    private String count(ClassCount of) {
        return of.name() + " " + of.type().map(this::nameOf).orElse("-") + " " + of.instances() + " " + of.bytes();
    }

    /** Returns the component type of an array class, and the numbers of its methods and fields. */
    private String element(String name) {
        for (ClassCount each : info.classHistogram().items()) {
            if (each.name().equals(name)) {
                ClassId type = each.type().orElseThrow();
                return info.structure(type).componentType().map(this::nameOf).orElse("-") + " "
                        + info.methods(type).size() + " " + info.fields(type).size();
            }
        }
        return "none";
    }

    private boolean add(StackFrame frame, StringBuilder frames) {
        String type = frame.type().map(this::nameOf).orElse("-");
        String method = frame.methodId()
                .map(id -> {
                    MethodDescription described = info.describe(id);
                    return described.name() + described.descriptor();
                })
                .orElse("-");
        frames.append(frame.className() + "." + frame.method() + ":" + frame.line() + " " + type + " " + method + " "
                + frame.bytecodeIndex() + "\n");
        return true;
    }

    private String loadStack(String name) {
        synchronized (ofLoads) {
            return ofLoads.getOrDefault(name, "");
        }
    }

    private String stack(String name) {
        StringBuilder frames = new StringBuilder();
        for (ThreadId id : info.enumerateThreads().items()) {
            if (info.describe(id).name().equals(name)) {
                info.doStackSnapshot(id, this::add, frames);
            }
        }
        return frames.toString();
    }

    /** Answers for each frame of a known method with a line if the table of the method has the line. */
    private String linesOfFrames() {
        StringBuilder answers = new StringBuilder();
        for (ThreadId id : info.enumerateThreads().items()) {
            info.doStackSnapshot(id, this::addLine, answers);
        }
        return answers.toString();
    }

    private boolean addLine(StackFrame frame, StringBuilder answers) {
        if (frame.methodId().isPresent() && frame.line() > 0) {
            seenMethod = frame.methodId().get();
            answers.append(info.lines(seenMethod).stream().anyMatch(each -> each.line() == frame.line()))
                    .append('\n');
        }
        return true;
    }

    private String keep(ClassId type) {
        keptClass = type;
        keptMethod = info.methods(type).get(0).id();
        keptLoader = info.describe(type).loaderId().orElseThrow();
        List<FieldDescription> fields = info.fields(type);
        keptField = fields.isEmpty() ? new FieldId(type, 0) : fields.get(0).id();
        return kept();
    }

    private String kept() {
        return outcome(() -> info.describe(keptClass)) + " " + outcome(() -> info.describe(keptMethod)) + " "
                + outcome(() -> info.describe(keptLoader)) + " " + outcome(() -> info.structure(keptClass)) + " "
                + outcome(() -> info.methods(keptClass)) + " " + outcome(() -> info.fields(keptClass)) + " "
                + outcome(() -> info.lines(keptMethod)) + " " + outcome(() -> info.bytecodes(keptMethod)) + " "
                + outcome(() -> info.describe(keptField));
    }

    /** Returns the kept loader and its parents. */
    private String loader() {
        StringBuilder all = new StringBuilder();
        for (Optional<LoaderId> at = Optional.of(keptLoader); at.isPresent(); ) {
            LoaderDescription described = info.describe(at.get());
            all.append(described.className()).append(' ');
            all.append(described.name().orElse("-")).append('\n');
            at = described.parent();
        }
        return all.toString();
    }

    /** Returns the results of calls with ids of another runtime, and with the number of a method that there is not. */
    private String foreign() {
        int other = info.runtimeInformation().runtime() + 1;
        ClassId type = new ClassId(other, keptClass.value());
        return outcome(() -> info.describe(new LoaderId(other, keptLoader.value()))) + " "
                + outcome(() -> info.describe(new MethodId(type, keptMethod.number()))) + " "
                + outcome(() -> info.structure(type)) + " " + outcome(() -> info.methods(type)) + " "
                + outcome(() -> info.fields(type)) + " "
                + outcome(() -> info.describe(new MethodId(keptClass, 60000))) + " "
                + outcome(() -> info.describe(new FieldId(type, 0))) + " "
                + outcome(() -> info.describe(new FieldId(keptClass, 60000))) + " "
                + outcome(() -> info.lines(new MethodId(type, keptMethod.number()))) + " "
                + outcome(() -> info.bytecodes(new MethodId(type, keptMethod.number()))) + " "
                + outcome(() -> info.lines(new MethodId(keptClass, 60000))) + " "
                + outcome(() -> info.bytecodes(new MethodId(keptClass, 60000)));
    }

    /** Returns a runtime and its numbers of a thread, a class and a method of the class. */
    private String ids(ClassId type) {
        return type.runtime() + " " + info.enumerateThreads().items().get(0).value() + " " + type.value() + " "
                + info.methods(type).get(0).id().number();
    }

    /** Returns the results of calls with the ids of {@link #ids}, of this runtime or of another one. */
    private String useIds(String[] words) {
        int runtime = Integer.parseInt(words[0]);
        ThreadId thread = new ThreadId(runtime, Long.parseLong(words[1]));
        ClassId type = new ClassId(runtime, Long.parseLong(words[2]));
        MethodId method = new MethodId(type, Integer.parseInt(words[3]));
        return outcome(() -> info.describe(thread)) + " " + outcome(() -> info.describe(type)) + " "
                + outcome(() -> info.methods(type)) + " " + outcome(() -> info.describe(method)) + " "
                + outcome(() -> info.bytecodes(method));
    }
}
