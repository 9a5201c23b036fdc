package mayfly.host;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import mayfly.api.ClassId;
import mayfly.api.Event;
import mayfly.api.ModuleId;
import mayfly.api.Profiler;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;
import mayfly.api.event.Compilation;
import mayfly.api.event.CompilationStart;
import mayfly.api.event.Deoptimization;
import mayfly.api.event.GarbageCollection;
import mayfly.host.log.CompilationLine;
import mayfly.host.log.CompilationStartLine;
import mayfly.host.log.DeoptimizationLine;
import mayfly.host.log.LoggedClasses;
import mayfly.host.log.LoggedModules;
import mayfly.host.log.LoggedThreads;
import mayfly.host.log.PauseLine;
import mayfly.wire.LogTopic;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the asynchronous events, from lines of the JVM's log. Lines that are not understood count as lost events.
 * All methods except {@link #prepare}, {@link #begin}, {@link #classes}, {@link #modules} and {@link #presentClasses}
 * are called on the host's thread, which creates this object.
 */
final class LoggedEvents implements LoggedThreads.Receiver, LoggedThreads.Source {
    private final Profiler profiler;
    private final Events events;
    private final Ids ids;
    private final LoggedClasses classes = new LoggedClasses();
    private final LoggedModules modules = new LoggedModules();
    private final LoggedThreads threads;
    /** True if a line has reported a pause of a collection or an unloaded class since the last call of delivered. */
    private boolean collected;

    /** The host's own thread, which creates this object. */
    private final Thread own = Thread.currentThread();

    LoggedEvents(Profiler profiler, Events events, Ids ids) {
        this.profiler = profiler;
        this.events = events;
        this.ids = ids;
        this.threads = new LoggedThreads(this, this);
    }

    /** The log will be switched on for these events, which it does not have now. Called by any thread. */
    void prepare(int bits) {
        if ((bits & Events.bit(Event.CLASS_LOADS)) != 0) {
            classes.clear();
        }
        if ((bits & Events.bit(Event.MODULE_LOADS)) != 0) {
            modules.clear();
        }
    }

    /** The log has been switched on for these events, which it did not have before. Called by any thread. */
    void begin(int bits) {
        if ((bits & Events.bit(Event.THREADS)) != 0) {
            threads.begin();
        }
    }

    /** Returns the modules that the log has reported. */
    LoggedModules modules() {
        return modules;
    }

    /** Returns the classes that the log has reported. */
    LoggedClasses classes() {
        return classes;
    }

    /**
     * Delivers a line of a topic.
     *
     * @param writer the number of the thread that wrote the line
     * @param link the number of the suspension to which the pause of a collection belongs, or that of the creation of a
     *     thread; 0 if it is unknown
     */
    void deliver(long topic, Stamp at, String line, long writer, long link) {
        if (!read((int) topic, at, line, writer, link)) {
            Vm.countLost();
        }
    }

    /** Returns false if the line is not understood. */
    private boolean read(int topic, Stamp at, String line, long writer, long link) {
        return switch (topic) {
            case LogTopic.COLLECTION -> pause(at, line, link);
            case LogTopic.THREAD -> !events.isLogged(Event.THREADS) || threads.read(line, at, writer, link);
            case LogTopic.CLASS -> classLine(at, line);
            case LogTopic.MODULE -> moduleLine(at, line);
            case LogTopic.COMPILATION -> compilation(at, line);
            case LogTopic.COMPILATION_START -> compilationStart(at, line);
            case LogTopic.DEOPTIMIZATION -> deoptimization(at, line);
            default -> false;
        };
    }

    /** All lines that the host has read have been delivered, or the time for another look has come. */
    void delivered() {
        if (collected) {
            collected = false;
            events.dropGone();
        }
        long again = events.isLogged(Event.THREADS) ? threads.look() : 0;
        if (again > 0) {
            Vm.lookAfter(again);
        }
    }

    private boolean pause(Stamp at, String line, long suspension) {
        GarbageCollection collection = PauseLine.parse(line, suspension);
        if (collection == null) {
            return false;
        }
        collected = true;
        Duration pause = collection.pause();
        long nanos = pause.getSeconds() * 1_000_000_000 + pause.getNano();
        if (events.delivers(Event.GARBAGE_COLLECTIONS)) {
            try {
                profiler.garbageCollectionStarted(new Stamp(at.sequence(), at.nanos() - nanos));
            } catch (Throwable e) {
                Vm.countThrown();
            }
        }
        if (events.delivers(Event.GARBAGE_COLLECTIONS)) {
            try {
                profiler.garbageCollectionFinished(Events.now(at.nanos()));
            } catch (Throwable e) {
                Vm.countThrown();
            }
        }
        if (events.delivers(Event.GARBAGE_COLLECTIONS)) {
            profiler.garbageCollected(Events.now(at.nanos()), collection);
        }
        return true;
    }

    private boolean compilation(Stamp at, String line) {
        Compilation compilation = CompilationLine.parse(line);
        if (compilation != null && events.delivers(Event.COMPILATIONS)) {
            profiler.methodInstalled(at, compilation);
        }
        return compilation != null;
    }

    private boolean compilationStart(Stamp at, String line) {
        if (!CompilationStartLine.isStart(line)) {
            return true;
        }
        CompilationStart start = CompilationStartLine.parse(line);
        if (start != null && events.delivers(Event.COMPILATIONS)) {
            profiler.compilationStarted(at, start);
        }
        return start != null;
    }

    private boolean deoptimization(Stamp at, String line) {
        Deoptimization deoptimization = DeoptimizationLine.parse(line);
        if (deoptimization != null && events.delivers(Event.DEOPTIMIZATIONS)) {
            profiler.methodDeoptimized(at, deoptimization);
        }
        return deoptimization != null;
    }

    private boolean moduleLine(Stamp at, String line) {
        if (!events.isLogged(Event.MODULE_LOADS)) {
            return true;
        }
        LoggedModules.Change change = modules.read(line);
        if (change == null) {
            return false;
        }
        for (LoggedModules.Logged each : change.modules()) {
            if (events.delivers(Event.MODULE_LOADS)) {
                module(at, change.loaded(), ids.ofModule(each.number()));
            }
        }
        return true;
    }

    private void module(Stamp at, boolean loaded, ModuleId module) {
        try {
            if (loaded) {
                profiler.moduleLoaded(at, module);
            } else {
                profiler.moduleUnloaded(at, module);
            }
        } catch (Throwable e) {
            Vm.countThrown();
        }
    }

    private boolean classLine(Stamp at, String line) {
        if (!events.isLogged(Event.CLASS_LOADS)) {
            return true;
        }
        LoggedClasses.Change change = classes.read(line, at.nanos());
        collected = collected || line.startsWith(LoggedClasses.UNLOADING);
        if (change == null || !events.delivers(Event.CLASS_LOADS)) {
            return classes.understood();
        }
        ClassId id = ids.ofClass(change.type().number());
        if (change.loaded()) {
            profiler.classLoaded(at, id);
        } else {
            profiler.classUnloaded(at, id);
        }
        return true;
    }

    /** Returns the loaded classes, or null if they cannot be read. */
    @Nullable
    List<LoggedClasses.Logged> presentClasses() {
        classes.beginReading();
        try {
            Object[] present = Vm.presentClasses();
            if (present == null) {
                return null;
            }
            String[] names = new String[present.length - 1];
            for (int i = 0; i < names.length; i++) {
                names[i] = (String) present[i + 1];
            }
            return classes.present((long[]) present[0], names);
        } finally {
            classes.endReading();
        }
    }

    @Override
    public void created(Stamp at, ThreadId thread, @Nullable ThreadId creator) {
        if (events.delivers(Event.THREADS)) {
            try {
                profiler.threadCreated(at, thread, Optional.ofNullable(creator));
            } catch (Throwable e) {
                Vm.countThrown();
            }
        }
    }

    @Override
    public void destroyed(Stamp at, ThreadId thread) {
        if (events.delivers(Event.THREADS)) {
            try {
                profiler.threadDestroyed(at, thread);
            } catch (Throwable e) {
                Vm.countThrown();
            }
        }
    }

    @Override
    public void lost() {
        Vm.countLost();
    }

    @Override
    public Thread[] live() {
        // On the host's thread also during a detach, when a call of the profiler would be refused.
        Thread[] all = Thread.currentThread() == own ? Vm.liveThreads0() : ids.liveThreads();
        if (all == null) {
            return new Thread[0];
        }
        int count = 0;
        for (Thread each : all) {
            if (each != own) {
                all[count++] = each;
            }
        }
        return Arrays.copyOf(all, count);
    }

    @Override
    public long[] numbers(Thread[] live) {
        long[] numbers = Thread.currentThread() == own ? Vm.osThreads0(live) : Vm.osThreads(live);
        return numbers == null ? new long[live.length] : numbers;
    }

    @Override
    public ThreadId id(Thread thread) {
        return ids.of(thread);
    }
}
