package mayfly.host;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import mayfly.api.ClassId;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;
import mayfly.api.event.Compilation;
import mayfly.api.event.GarbageCollection;
import mayfly.host.log.CompilationLine;
import mayfly.host.log.LoggedClasses;
import mayfly.host.log.LoggedThreads;
import mayfly.host.log.PauseLine;
import mayfly.wire.LogTopic;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the asynchronous events, from lines of the JVM's log. Lines that are not understood count as lost events.
 * All methods except {@link #prepare}, {@link #begin}, {@link #classes} and {@link #presentClasses} are called on the
 * host's thread, which creates this object.
 */
final class LoggedEvents implements LoggedThreads.Receiver, LoggedThreads.Source {
    private final Profiler profiler;
    private final Events events;
    private final Ids ids;
    private final LoggedClasses classes = new LoggedClasses();
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
    }

    /** The log has been switched on for these events, which it did not have before. Called by any thread. */
    void begin(int bits) {
        if ((bits & Events.bit(Event.THREADS)) != 0) {
            threads.begin();
        }
    }

    /** Returns the classes that the log has reported. */
    LoggedClasses classes() {
        return classes;
    }

    /** Delivers a line of a topic. */
    void deliver(long topic, Stamp at, String line) {
        boolean understood;
        if (topic == LogTopic.COLLECTION) {
            understood = pause(at, line);
        } else if (topic == LogTopic.THREAD) {
            understood = !events.isLogged(Event.THREADS) || threads.read(line, at);
        } else if (topic == LogTopic.CLASS) {
            understood = classLine(at, line);
        } else {
            understood = compilation(at, line);
        }
        if (!understood) {
            Vm.countLost();
        }
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

    private boolean pause(Stamp at, String line) {
        GarbageCollection collection = PauseLine.parse(line);
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
    public void created(Stamp at, ThreadId thread) {
        if (events.delivers(Event.THREADS)) {
            try {
                profiler.threadCreated(at, thread);
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
