package mayfly.host.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;
import org.jspecify.annotations.Nullable;

/**
 * The platform threads, by the number that the kernel gives them and that the JVM's log contains. The JVM logs the
 * start of a thread before it adds the thread to its list, so the host looks for it again until it is there. All
 * methods except {@link #begin} are called on the host's thread.
 */
public final class LoggedThreads {
    /** The delays before the first looks for threads that have just started, in nanoseconds. */
    private static final long[] DELAYS = {0, 100_000, 1_000_000};
    /** The delays before later looks, in nanoseconds: the thread that starts another may wait for a CPU. */
    private static final long[] LATER = {10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000L};
    /** Upper bound on the threads that are awaited: the JVM's own threads never appear among the Java threads. */
    private static final int MAX_STARTING = 1024;

    /** The JVM's threads. */
    public interface Source {
        /** Returns the live platform threads, without the host's own. */
        Thread[] live();

        /** Returns the number that the kernel has given to each thread, or 0. */
        long[] numbers(Thread[] threads);

        /** Returns the id of a thread. */
        ThreadId id(Thread thread);
    }

    /** Receives the threads. */
    public interface Receiver {
        /** A thread has started; the one that created it is null if it is unknown. */
        void created(Stamp at, ThreadId thread, @Nullable ThreadId creator);

        /** A thread has ended. */
        void destroyed(Stamp at, ThreadId thread);

        /** A thread has ended that had not been found. */
        void lost();
    }

    /**
     * The threads that lived after the log had been switched on.
     *
     * @param numbers the number of each
     */
    private record Snapshot(Thread[] threads, long[] numbers) {}

    private static final class Starting {
        private final Stamp at;
        private final @Nullable Creator creator;
        /** The number of later looks. */
        private int looks;

        private @Nullable ThreadId found;

        Starting(Stamp at, @Nullable Creator creator) {
            this.at = at;
            this.creator = creator;
        }

        boolean isAwaited() {
            return looks < LATER.length;
        }
    }

    /** The thread that created another, which may itself not be found yet. */
    private static final class Creator {
        private final @Nullable ThreadId known;
        private final @Nullable Starting starting;

        Creator(@Nullable ThreadId known, @Nullable Starting starting) {
            this.known = known;
            this.starting = starting;
        }

        @Nullable
        ThreadId id() {
            return starting == null ? known : starting.found;
        }
    }

    private final Source source;
    private final Receiver receiver;
    private final Map<Long, ThreadId> known = new HashMap<>();
    /** In the order of their lines. */
    private final Map<Long, Starting> starting = new LinkedHashMap<>();
    /** The creators of threads that have no line of their start yet, by the number of the creation. */
    private final Map<Long, Creator> creators = new LinkedHashMap<>();
    /** Set by the thread that has switched the log on, and cleared by the host's thread. */
    private volatile @Nullable Snapshot snapshot;

    /** Tracks no thread before {@link #begin}. */
    public LoggedThreads(Source source, Receiver receiver) {
        this.source = source;
        this.receiver = receiver;
    }

    /**
     * Begins with the threads that live now, which are not reported. Called by any thread when the log has been
     * switched on: a thread that lives now has a line when it ends.
     */
    public void begin() {
        Thread[] live = source.live();
        snapshot = new Snapshot(live, source.numbers(live));
    }

    private void adopt(Snapshot begin) {
        snapshot = null;
        known.clear();
        creators.clear();
        for (int i = 0; i < begin.threads.length; i++) {
            if (begin.numbers[i] != 0) {
                known.put(begin.numbers[i], source.id(begin.threads[i]));
            }
        }
    }

    /**
     * Reads a line. Returns false if it is not understood.
     *
     * @param writer the number of the thread that wrote the line
     * @param creation the number that the line of a creation and that of the start have in common; 0 if it is unknown
     */
    public boolean read(String text, Stamp at, long writer, long creation) {
        ThreadLine line = ThreadLine.parse(text);
        if (line == null) {
            return false;
        }
        Snapshot begin = snapshot;
        if (begin != null) {
            adopt(begin);
        }
        switch (line.kind()) {
            case CREATED -> created(writer, creation);
            case STARTS -> starts(line.number(), at, creation);
            case ENDS -> ends(line.number(), at);
        }
        return true;
    }

    /** The creator is looked up now, because it may end before the new thread starts, and its number be used again. */
    private void created(Long writer, Long creation) {
        if (creators.size() == MAX_STARTING) {
            creators.remove(creators.keySet().iterator().next());
        }
        creators.put(creation, new Creator(known.get(writer), starting.get(writer)));
    }

    private void starts(Long number, Stamp at, Long creation) {
        known.remove(number);
        if (starting.size() == MAX_STARTING) {
            starting.remove(starting.keySet().iterator().next());
            receiver.lost();
        }
        starting.put(number, new Starting(at, creators.remove(creation)));
    }

    private void ends(Long number, Stamp at) {
        ThreadId thread = known.remove(number);
        if (thread != null) {
            receiver.destroyed(at, thread);
        } else if (starting.remove(number) != null) {
            receiver.lost();
        }
    }

    /**
     * Looks for the threads that have started, and reports those that it finds. Returns the time after which to look
     * again, in nanoseconds; 0 if no thread is awaited.
     */
    public long look() {
        for (long delay : DELAYS) {
            if (!isAwaited()) {
                return 0;
            }
            if (delay > 0) {
                LockSupport.parkNanos(delay);
            }
            find();
        }
        long next = 0;
        for (Starting each : starting.values()) {
            if (each.isAwaited()) {
                long later = LATER[each.looks++];
                next = next == 0 ? later : Math.min(next, later);
            }
        }
        return next;
    }

    private boolean isAwaited() {
        for (Starting each : starting.values()) {
            if (each.isAwaited()) {
                return true;
            }
        }
        return false;
    }

    private void find() {
        Thread[] live = source.live();
        long[] numbers = source.numbers(live);
        Map<Long, Thread> threads = new HashMap<>();
        for (int i = 0; i < live.length; i++) {
            threads.put(numbers[i], live[i]);
        }
        List<Long> found = new ArrayList<>();
        for (Long number : starting.keySet()) {
            if (threads.containsKey(number)) {
                found.add(number);
            }
        }
        for (Long number : found) {
            Starting each = starting.remove(number);
            Thread thread = threads.get(number);
            if (each != null && thread != null) {
                ThreadId id = source.id(thread);
                known.put(number, id);
                each.found = id;
                receiver.created(each.at, id, each.creator == null ? null : each.creator.id());
            }
        }
    }
}
