package mayfly.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;
import mayfly.host.log.ThreadLine;
import org.jspecify.annotations.Nullable;

/**
 * The platform threads, by the number that the kernel gives them and that the JVM's log contains. The JVM logs the
 * start of a thread before it adds the thread to its list, so the host looks for it again until it is there. All
 * methods except {@link #begin} are called on the host's thread, which creates this object.
 */
final class LoggedThreads {
    /** The delays before each look for threads that have just started, in nanoseconds. */
    private static final long[] DELAYS = {0, 100_000, 1_000_000, 5_000_000, 20_000_000};
    /** Upper bound on the threads that are awaited: the JVM's own threads never appear among the Java threads. */
    private static final int MAX_STARTING = 1024;

    /** Receives the threads. */
    interface Receiver {
        void created(Stamp at, ThreadId thread);

        void destroyed(Stamp at, ThreadId thread);

        /** A thread has ended that had not been found. */
        void lost();
    }

    private static final class Starting {
        private final Stamp at;
        private boolean looked;

        Starting(Stamp at) {
            this.at = at;
        }
    }

    /**
     * The threads that lived after the log had been switched on.
     *
     * @param numbers the number of each
     */
    private record Snapshot(Thread[] threads, long[] numbers) {}

    private final Ids ids;
    private final Receiver receiver;
    private final Thread own = Thread.currentThread();
    private final Map<Long, ThreadId> known = new HashMap<>();
    /** In the order of their lines. */
    private final Map<Long, Starting> starting = new LinkedHashMap<>();
    /** Set by the thread that has switched the log on, and cleared by the host's thread. */
    private volatile @Nullable Snapshot snapshot;

    LoggedThreads(Ids ids, Receiver receiver) {
        this.ids = ids;
        this.receiver = receiver;
    }

    /**
     * Begins with the threads that live now, which are not reported. Called by any thread when the log has been
     * switched on: a thread that lives now has a line when it ends.
     */
    void begin() {
        Thread[] live = ids.liveThreads();
        snapshot = new Snapshot(live, numbers(live));
    }

    private static long[] numbers(Thread[] threads) {
        long[] numbers = Vm.osThreads(threads);
        return numbers == null ? new long[threads.length] : numbers;
    }

    private void adopt(Snapshot begin) {
        snapshot = null;
        known.clear();
        for (int i = 0; i < begin.threads.length; i++) {
            if (begin.numbers[i] != 0 && begin.threads[i] != own) {
                known.put(begin.numbers[i], ids.of(begin.threads[i]));
            }
        }
    }

    /** Reads a line. Returns false if it is not understood. */
    boolean read(String text, Stamp at) {
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
            }
            starting.put(number, new Starting(at));
        } else if (thread != null) {
            receiver.destroyed(at, thread);
        } else if (starting.remove(number) != null) {
            receiver.lost();
        }
        return true;
    }

    /** Looks for the threads that have started, and reports those that it finds. */
    void look() {
        for (long delay : DELAYS) {
            if (!isAwaited()) {
                return;
            }
            LockSupport.parkNanos(delay);
            find();
        }
        for (Starting each : starting.values()) {
            each.looked = true;
        }
    }

    private boolean isAwaited() {
        for (Starting each : starting.values()) {
            if (!each.looked) {
                return true;
            }
        }
        return false;
    }

    private void find() {
        Thread[] live = ids.liveThreads();
        long[] numbers = numbers(live);
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
            if (each != null && thread != null && thread != own) {
                ThreadId id = ids.of(thread);
                known.put(number, id);
                receiver.created(each.at, id);
            }
        }
    }
}
