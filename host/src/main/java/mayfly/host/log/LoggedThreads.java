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
        /** A thread has started. */
        void created(Stamp at, ThreadId thread);

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
        /** The number of later looks. */
        private int looks;

        Starting(Stamp at) {
            this.at = at;
        }

        boolean isAwaited() {
            return looks < LATER.length;
        }
    }

    private final Source source;
    private final Receiver receiver;
    private final Map<Long, ThreadId> known = new HashMap<>();
    /** In the order of their lines. */
    private final Map<Long, Starting> starting = new LinkedHashMap<>();
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
        for (int i = 0; i < begin.threads.length; i++) {
            if (begin.numbers[i] != 0) {
                known.put(begin.numbers[i], source.id(begin.threads[i]));
            }
        }
    }

    /** Reads a line. Returns false if it is not understood. */
    public boolean read(String text, Stamp at) {
        ThreadLine line = ThreadLine.parse(text);
        if (line == null) {
            return false;
        }
        Snapshot begin = snapshot;
        if (begin != null) {
            adopt(begin);
        }
        Long number = line.number();
        ThreadId thread = known.remove(number);
        if (line.starts()) {
            if (starting.size() == MAX_STARTING) {
                starting.remove(starting.keySet().iterator().next());
                receiver.lost();
            }
            starting.put(number, new Starting(at));
        } else if (thread != null) {
            receiver.destroyed(at, thread);
        } else if (starting.remove(number) != null) {
            receiver.lost();
        }
        return true;
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
                receiver.created(each.at, id);
            }
        }
    }
}
