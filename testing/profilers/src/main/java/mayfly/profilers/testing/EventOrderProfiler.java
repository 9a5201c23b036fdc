package mayfly.profilers.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import mayfly.api.ClassId;
import mayfly.api.CompiledMethod;
import mayfly.api.Enumerated;
import mayfly.api.Event;
import mayfly.api.ModuleId;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;
import mayfly.api.Status;
import mayfly.api.ThreadId;

/**
 * Checks the order of its callbacks. Its data are the events to subscribe to, and optionally {@code linger}: then its
 * initialisation returns only when the target releases it.
 */
public final class EventOrderProfiler implements Profiler {
    private final AtomicLong told = new AtomicLong();
    private final AtomicLong toldEarly = new AtomicLong();
    private final AtomicLong before = new AtomicLong();
    private final AtomicLong after = new AtomicLong();
    private final AtomicLong ends = new AtomicLong();
    private final AtomicLong endsWithoutStart = new AtomicLong();
    private final AtomicLong classes = new AtomicLong();
    private final AtomicLong compiledBefore = new AtomicLong();
    private final AtomicLong compiledAfter = new AtomicLong();
    private ProfilerInfo info;
    private volatile long enumerated = Long.MAX_VALUE;
    private volatile boolean collecting;
    private volatile boolean hanging;
    private volatile String detachAt = "";
    /** The thread that has requested the detach; it retains the thread no longer than the profiler. */
    private volatile Thread asking;

    private final AtomicLong toldLate = new AtomicLong();
    private volatile Path lateFile;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> data) {
        info = runtime;
        String words =
                data.map(bytes -> new String(bytes, StandardCharsets.UTF_8)).orElse("");
        info.setEventMask(events(words));
        if (words.contains("linger")) {
            awaitRelease();
        }
        toldEarly.set(told.get());
    }

    private static Set<Event> events(String words) {
        Set<Event> events = EnumSet.noneOf(Event.class);
        for (Event event : Event.values()) {
            if (words.contains(event.name())) {
                events.add(event);
            }
        }
        return events;
    }

    private static void awaitRelease() {
        while (System.getProperty("mayfly.testing.release") == null) {
            Thread.onSpinWait();
        }
    }

    private void register(Stamp at) {
        told.incrementAndGet();
        (at.sequence() > enumerated ? after : before).incrementAndGet();
    }

    @Override
    public void threadCreated(Stamp at, ThreadId thread) {
        register(at);
    }

    @Override
    public void threadDestroyed(Stamp at, ThreadId thread) {
        register(at);
        if (hanging) {
            awaitRelease();
        }
    }

    /**
     * Requests its detach in the callback named by the command; any callback that begins afterwards is late. One on
     * another thread may have begun before, and is not counted.
     */
    private void in(String callback) {
        if (Thread.currentThread() == asking) {
            toldLate.incrementAndGet();
        }
        if (callback.equals(detachAt)) {
            detachAt = "";
            info.requestDetach(Duration.ZERO);
            asking = Thread.currentThread();
        }
    }

    @Override
    public void classLoaded(Stamp at, ClassId type) {
        in("classLoaded");
        register(at);
        classes.incrementAndGet();
    }

    @Override
    public void classUnloaded(Stamp at, ClassId type) {
        in("classUnloaded");
    }

    @Override
    public void moduleLoaded(Stamp at, ModuleId module) {
        in("moduleLoaded");
    }

    @Override
    public void moduleUnloaded(Stamp at, ModuleId module) {
        in("moduleUnloaded");
    }

    @Override
    public void garbageCollectionStarted(Stamp at) {
        in("garbageCollectionStarted");
        collecting = true;
    }

    @Override
    public void garbageCollectionFinished(Stamp at) {
        in("garbageCollectionFinished");
        ends.incrementAndGet();
        if (!collecting) {
            endsWithoutStart.incrementAndGet();
        }
        collecting = false;
    }

    @Override
    public void profilerDetachSucceeded() {
        if (lateFile != null) {
            write(lateFile, toldLate.get());
        }
    }

    @Override
    public byte[] command(byte[] command) {
        String[] words = new String(command, StandardCharsets.UTF_8).split(" ", 2);
        String answer = switch (words[0]) {
            case "told" -> Long.toString(told.get());
            case "told-early" -> Long.toString(toldEarly.get());
            case "ends" -> Long.toString(ends.get());
            case "ends-without-start" -> Long.toString(endsWithoutStart.get());
            case "mask" -> mask(events(words[1]));
            case "enumerate" -> enumerate();
            case "compile" -> compile(Integer.parseInt(words[1]));
            case "compiled-after" -> compiledBefore.get() + " " + compiledAfter.get();
            case "before" -> Long.toString(before.get());
            case "after" -> Long.toString(after.get());
            case "twice" ->
                classes.get() + " "
                        + info.enumerateClasses().items().stream()
                                .filter(id -> info.describe(id).name().endsWith("ThreadAndClassChurn$Guest"))
                                .count();
            case "hang-threads" -> Boolean.toString(hanging = true);
            case "detach-at" -> detachAt(words[1].split(" ", 2));
            case "report-later" -> reportLater(Path.of(words[1]));
            default -> throw new IllegalArgumentException(words[0]);
        };
        return answer.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Has methods of this profiler compiled while the events wait for the end of this callback, and then enumerates the
     * compiled methods.
     *
     * @return the number of enumerated methods of this class
     */
    private String compile(int millis) {
        compiledBefore.set(0);
        compiledAfter.set(0);
        long end = System.nanoTime() + millis * 1_000_000L;
        long sum = 0;
        for (int i = 0; System.nanoTime() < end; i++) {
            sum += first(i) ^ second(i);
        }
        Enumerated<CompiledMethod> compiled = info.enumerateCompiledMethods();
        enumerated = compiled.at().sequence();
        String own = EventOrderProfiler.class.getName();
        return compiled.items().stream()
                        .filter(method -> method.className().equals(own))
                        .count()
                + (sum == 0 ? " " : "");
    }

    private static long first(long i) {
        return i * 31 + 7;
    }

    private static long second(long i) {
        return i % 17 - 3;
    }

    /** Counts the methods of this class whose events occurred before and after the last enumeration. */
    @Override
    public void methodCompiled(Stamp at, CompiledMethod method) {
        if (method.className().equals(EventOrderProfiler.class.getName())) {
            (at.sequence() > enumerated ? compiledAfter : compiledBefore).incrementAndGet();
        }
    }

    private String mask(Set<Event> events) {
        collecting = false;
        info.setEventMask(events);
        return events.toString();
    }

    /** Counts subsequent callbacks relative to this enumeration. */
    private String enumerate() {
        before.set(0);
        after.set(0);
        enumerated = info.enumerateThreads().at().sequence();
        return Long.toString(enumerated);
    }

    /**
     * Starts a thread of the profiler, which blocks a detach. It writes -1 when the detach has been requested, and when
     * the target releases the thread, the number of events received in between.
     */
    private String reportLater(Path file) {
        new Thread(
                        () -> {
                            awaitDetachRequest();
                            long before = told.get();
                            write(file, -1);
                            awaitRelease();
                            write(file, told.get() - before);
                        },
                        "reports later")
                .start();
        return "later";
    }

    private void awaitDetachRequest() {
        try {
            while (true) {
                info.eventMask();
                LockSupport.parkNanos(100_000);
            }
        } catch (ProfilerException e) {
            if (e.status() != Status.PROFILER_DETACHING) {
                throw e;
            }
        }
    }

    private String detachAt(String[] words) {
        lateFile = Path.of(words[1]);
        detachAt = words[0];
        return "at " + words[0];
    }

    private static void write(Path file, long number) {
        try {
            Files.writeString(file, Long.toString(number));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
