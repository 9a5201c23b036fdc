package mayfly.profilers.testing;

import static mayfly.profilers.testing.Outcome.outcome;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;
import mayfly.api.ClassId;
import mayfly.api.Event;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;
import mayfly.api.Status;
import mayfly.api.Suspension;
import mayfly.api.ThreadId;

/**
 * A profiler controlled by a script. The script is in its data or, at launch, where there are no data, in the property
 * {@code mayfly.testing.script}: names of events to subscribe to; at most one of {@code throw}, {@code decline},
 * {@code hang}, {@code detach-at-once} and {@code throw-complete} for its initialisation; and
 * {@code shutdown-file=PATH}, which is a command, too. It stores all other data for later commands. The commands are in
 * {@link #command}. If the property {@code mayfly.testing.calls} names a file, each callback for the start and end of
 * the profiler's life is appended to it.
 */
public final class ScriptedProfiler extends CountingProfiler {
    private ProfilerInfo info;
    private Optional<byte[]> data = Optional.empty();
    private String script = "";
    private String early = "";
    /** Names of the reported classes; only at launch. */
    private Set<String> names;

    private final Object lock = new Object();
    private volatile boolean locking;
    private volatile Path shutdownFile;
    private volatile Path finalFile;
    private static final ThreadLocal<Object> LEFT = new ThreadLocal<>();
    private volatile boolean leaving;
    private Timer timer;
    private volatile boolean hanging;
    private volatile boolean detaching;
    private volatile boolean staying;

    @Override
    public void initialize(ProfilerInfo runtime) {
        Calls.add("initialize");
        names = ConcurrentHashMap.newKeySet();
        begin(runtime, System.getProperty("mayfly.testing.script", ""));
    }

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> clientData) {
        Calls.add("initializeForAttach");
        data = clientData;
        begin(runtime, new String(clientData.orElse(new byte[0]), StandardCharsets.UTF_8));
    }

    private void begin(ProfilerInfo runtime, String words) {
        info = runtime;
        script = words;
        Set<Event> events = EnumSet.noneOf(Event.class);
        for (String word : script.split(" ")) {
            switch (word) {
                case "throw" -> throw new IllegalStateException("thrown as requested");
                case "decline" ->
                    throw new ProfilerException(Status.PROFILER_CANCEL_ACTIVATION, "declined as requested");
                case "hang" -> await();
                case "detach-at-once" -> early = outcome(() -> info.requestDetach(Duration.ZERO));
                default -> {
                    if (word.startsWith("shutdown-file=")) {
                        shutdownFile = Path.of(word.substring("shutdown-file=".length()));
                    }
                    known(word).ifPresent(events::add);
                }
            }
        }
        info.setEventMask(events);
    }

    private static Optional<Event> known(String word) {
        return Arrays.stream(Event.values())
                .filter(event -> event.name().equals(word))
                .findFirst();
    }

    @Override
    public void profilerAttachComplete() {
        Calls.add("profilerAttachComplete");
        if (script.contains("throw-complete")) {
            throw new IllegalStateException("completion failed as requested");
        }
        info.emit("complete".getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void threadCreated(Stamp at, ThreadId thread) {
        counts.add("threadCreated");
    }

    @Override
    public void threadDestroyed(Stamp at, ThreadId thread) {
        counts.add("threadDestroyed");
    }

    @Override
    public void classLoaded(Stamp at, ClassId type) {
        counts.add("classLoaded");
        if (names != null) {
            names.add(className(type));
        }
        waitForLock();
        if (leaving) {
            leaving = false;
            LEFT.set(this);
        }
        if (hanging) {
            await();
        }
        if (detaching) {
            detaching = false;
            info.requestDetach(Duration.ZERO);
        }
    }

    @Override
    public void garbageCollectionStarted(Stamp at) {
        counts.add("garbageCollectionStarted");
        waitForLock();
    }

    @Override
    public void runtimeSuspended(Stamp at, Suspension suspension) {
        counts.add("runtimeSuspended");
        counts.add(suspension.reason());
        long ended = at.nanos() + suspension.total().toNanos();
        if (suspension.total().compareTo(suspension.reaching()) < 0 || ended > System.nanoTime()) {
            counts.add("impossible suspensions");
        }
    }

    @Override
    public void shutdown() {
        Calls.append(shutdownFile, "shut down");
    }

    @Override
    public void detachRequested(ProfilerInfo runtime, String reason) {
        Calls.add("detachRequested");
        if (!staying) {
            runtime.requestDetach(Duration.ZERO);
        }
    }

    @Override
    public void profilerDetachSucceeded() {
        Calls.add("profilerDetachSucceeded");
        Calls.append(finalFile, "detached");
    }

    @Override
    public byte[] command(byte[] command) {
        String[] words = new String(command, StandardCharsets.UTF_8).split(" ", 2);
        String rest = words.length > 1 ? words[1] : "";
        String answer = switch (words[0]) {
            case "echo" -> rest;
            case "emit" -> outcome(() -> info.emit(rest.getBytes(StandardCharsets.UTF_8)));
            case "repeat" -> repeat(rest);
            case "data" ->
                data.map(bytes -> bytes.length + " " + Arrays.hashCode(bytes)).orElse("none");
            case "early" -> early;
            case "told" -> String.join("\n", names);
            case "count" -> Long.toString(counts.of(rest));
            case "shutdown-file" -> (shutdownFile = Path.of(rest)).toString();
            case "final-file" -> (finalFile = Path.of(rest)).toString();
            case "mask" -> outcome(() -> info.setEventMask(rest.isEmpty() ? Set.of() : Set.of(Event.valueOf(rest))));
            case "has-mask" -> info.eventMask().toString();
            case "not-reported" -> String.join("\n", info.notReported());
            case "threads" ->
                info.enumerateThreads().items().stream()
                        .map(id -> info.describe(id).name())
                        .collect(Collectors.joining("\n"));
            case "classes" ->
                info.enumerateClasses().items().stream().map(this::className).collect(Collectors.joining("\n"));
            case "modules" ->
                info.enumerateModules().items().stream()
                        .map(id -> info.describe(id).name().orElse("-"))
                        .collect(Collectors.joining("\n"));
            case "compiled" ->
                info.enumerateCompiledMethods().items().stream()
                        .map(method -> method.className() + "." + method.name())
                        .collect(Collectors.joining("\n"));
            case "stack" -> stack(rest);
            case "lock-gc" ->
                lock(Integer.parseInt(rest), () -> {
                    System.gc();
                    info.enumerateClasses().items().forEach(this::className);
                });
            case "lock-class" -> lock(Integer.parseInt(rest), System::gc);
            case "leak" -> leak();
            case "timer" -> timer();
            case "stop-timer" -> stopTimer();
            case "executor" -> executor();
            case "callers" -> callers();
            case "hook" -> hook();
            case "virtual" -> virtual();
            case "virtual-executor" -> virtualExecutor();
            case "thread-local" -> threadLocal();
            case "bean" -> bean();
            case "give" -> String.valueOf(System.getProperties().put("mayfly.testing.object", this));
            case "hang-classes" -> hangClasses();
            case "hang" -> hang();
            case "stay" -> stay();
            case "throw" -> throw new IllegalStateException("thrown as requested");
            case "detach" ->
                outcome(() -> info.requestDetach(Duration.ofMillis(rest.isEmpty() ? 0 : Long.parseLong(rest))));
            case "detach-in-callback" -> inCallback();
            case "detach-from-thread" -> fromThread();
            case "detach-twice" ->
                outcome(() -> info.requestDetach(Duration.ZERO)) + " "
                        + outcome(() -> info.requestDetach(Duration.ZERO)) + " "
                        + outcome(() -> info.enumerateThreads());
            default -> throw new ProfilerException(Status.FAILED, "no such command: " + words[0]);
        };
        return answer.getBytes(StandardCharsets.UTF_8);
    }

    /** Repeats a call that many times within one request. */
    private String repeat(String times) {
        String[] words = times.split(" ", 2);
        for (int i = 0; i < Integer.parseInt(words[0]); i++) {
            command(words[1].getBytes(StandardCharsets.UTF_8));
        }
        return "done";
    }

    /** The class may have been unloaded since it was enumerated. */
    private String className(ClassId id) {
        try {
            return info.describe(id).name();
        } catch (ProfilerException e) {
            return e.status().name();
        }
    }

    private String stack(String threadName) {
        StringBuilder frames = new StringBuilder();
        for (ThreadId id : info.enumerateThreads().items()) {
            if (info.describe(id).name().equals(threadName)) {
                info.doStackSnapshot(
                        id,
                        (frame, to) -> {
                            to.append(frame.className())
                                    .append('.')
                                    .append(frame.method())
                                    .append(':')
                                    .append(frame.line())
                                    .append('\n');
                            return true;
                        },
                        frames);
            }
        }
        return frames.toString();
    }

    /**
     * Starts a thread of the profiler that repeatedly holds a lock while it performs an action, until callbacks have
     * waited for the lock that often.
     */
    private String lock(int rounds, Runnable held) {
        locking = true;
        new Thread(
                        () -> {
                            for (int i = 0; i < rounds || counts.of("waited") < rounds; i++) {
                                synchronized (lock) {
                                    held.run();
                                }
                                counts.add("rounds");
                            }
                            locking = false;
                        },
                        "holds a lock")
                .start();
        return "started";
    }

    private void waitForLock() {
        if (locking) {
            synchronized (lock) {
                counts.add("waited");
            }
        }
    }

    private String leak() {
        new Thread(ScriptedProfiler::await, "leaked by a profiler").start();
        return "started";
    }

    private String timer() {
        timer = new Timer("timer of a profiler");
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        counts.add("ticks");
                    }
                },
                0,
                1);
        return "started";
    }

    private String executor() {
        Executors.newScheduledThreadPool(1).scheduleAtFixedRate(() -> counts.add("ticks"), 0, 1, TimeUnit.MILLISECONDS);
        return "started";
    }

    /** Starts threads, virtual ones if available, that call the runtime until it refuses. */
    private String callers() {
        for (int i = 0; i < 4; i++) {
            VirtualThreads.startIfThereAre(() -> {
                try {
                    while (true) {
                        info.emit(new byte[1000]);
                        counts.add("emitted");
                    }
                } catch (ProfilerException e) {
                    counts.add(e.status().name());
                }
            });
        }
        return "started";
    }

    /** Sleeps most of the time, so that no stack of a platform thread has its code. */
    private static void sleep() {
        while (System.getProperty("mayfly.testing.release") == null) {
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private String virtual() {
        VirtualThreads.start("kept", ScriptedProfiler::sleep);
        return "started";
    }

    private String virtualExecutor() {
        VirtualThreads.startByExecutor(ScriptedProfiler::sleep);
        return "started";
    }

    private String stopTimer() {
        timer.cancel();
        return "cancelled";
    }

    private String hook() {
        Runtime.getRuntime().addShutdownHook(new Thread(ScriptedProfiler::await, "hook of a profiler"));
        return "added";
    }

    /**
     * Leaves a thread-local variable on a thread of the application. A variable of the host's own thread would end with
     * that thread.
     */
    private String threadLocal() {
        leaving = true;
        return "the next class that is loaded leaves a variable on its thread";
    }

    private String bean() {
        try {
            ManagementFactory.getPlatformMBeanServer().registerMBean(new Bean(), new ObjectName("testing:type=Bean"));
            return "registered";
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A standard MBean in the sense of JMX. */
    public interface BeanMBean {
        /** An arbitrary attribute. */
        int getAttribute();
    }

    private static final class Bean implements BeanMBean {
        @Override
        public int getAttribute() {
            return 1;
        }
    }

    private String hangClasses() {
        hanging = true;
        return "the next class that is loaded hangs";
    }

    private String inCallback() {
        detaching = true;
        return "the next class that is loaded asks";
    }

    /** The thread continues to run the profiler's code after its request. */
    private String fromThread() {
        new Thread(
                        () -> {
                            info.requestDetach(Duration.ZERO);
                            await();
                        },
                        "asks and stays")
                .start();
        return "a thread asks";
    }

    private String stay() {
        staying = true;
        return "a request to detach changes nothing";
    }

    private String hang() {
        await();
        return "went on";
    }

    /** Waits until the target sets a property, because no call reaches a profiler that is being detached. */
    private static void await() {
        while (System.getProperty("mayfly.testing.release") == null) {
            Thread.onSpinWait();
        }
    }
}
