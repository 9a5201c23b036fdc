package mayfly.host.poll;

import java.util.Arrays;
import java.util.Optional;
import mayfly.api.Event;
import mayfly.api.ThreadId;
import mayfly.api.event.ContentionSample;
import mayfly.api.event.ThreadAllocation;
import mayfly.api.thread.Blocker;
import mayfly.host.frame.ThreadStatus;
import org.jspecify.annotations.Nullable;

/**
 * Looks at all platform threads at an interval, and reports those that are blocked and what they have allocated. All
 * methods except {@link #set} and {@link #setInterval} are called on the host's thread.
 */
public final class Polling {
    /** The initial interval, ns. */
    public static final long DEFAULT_INTERVAL = 10_000_000;

    /** Upper bound on the blocked threads of a look whose monitors are asked for, some 40 µs each. */
    private static final int MAX_MONITORS = 64;

    /** The classes of the objects whose monitors the host itself enters. */
    private static final String OWN_CLASSES = "mayfly.host.";

    /** The JVM, and the receiver of the samples. */
    public interface Source {
        /** Sets the interval of the calls of {@link Polling#look}, the first of which follows at once; 0 ends them. */
        void every(long nanos);

        /** Returns the live platform threads, without the host's own. */
        Thread[] live();

        /** Reads the number and the status of each thread, as {@link ThreadStatus} defines it. */
        void statuses(Thread[] threads, long[] numbers, long[] statuses);

        /** Reads the bytes that each thread has allocated; those of a thread that has ended stay as they are. */
        boolean allocated(long[] numbers, long[] bytes);

        /**
         * Finds the object for whose monitor each of these blocked threads waits: the object, or the name of its class
         * with its identity and the number of the owner or -1 as two values, which are 0 otherwise.
         */
        void monitors(Thread[] live, Thread[] blocked, long[] numbers, @Nullable Object[] found, long[] values);

        /** Returns true if the event is delivered now. */
        boolean delivers(Event event);

        ThreadId id(Thread thread);

        /** Returns the id of the thread that has this number. */
        ThreadId id(long number);

        /** Reports a sample of a look at this time. The profiler may throw. */
        void contention(long nanos, ContentionSample sample);

        /** Reports a sample of a look at this time. The profiler may throw. */
        void allocation(long nanos, ThreadAllocation allocation);

        /** Counts samples that cannot be reported. */
        void lost();
    }

    private final Source source;
    private final ThreadCounters counters = new ThreadCounters();
    private long[] numbers = new long[0];
    private long[] statuses = new long[0];
    private long[] bytes = new long[0];
    /** The time of the last look. */
    private long last;
    /** The value of {@link Subscription#allocationsSince} at the last look that has read the counters. */
    private int counted;

    private volatile long interval = DEFAULT_INTERVAL;
    /** The present subscription; null if there is none. */
    private volatile @Nullable Subscription subscription;
    /** The number of the last subscription. */
    private int subscriptions;

    /**
     * The polled events.
     *
     * @param monitorsSince the time since which monitors have been polled
     * @param allocationsSince the number of the subscription since which allocations have been polled
     */
    private record Subscription(boolean monitors, long monitorsSince, boolean allocations, int allocationsSince) {}

    public Polling(Source source) {
        this.source = source;
    }

    /** Sets the interval of the looks, ns. */
    public synchronized void setInterval(long nanos) {
        if (subscription != null) {
            source.every(nanos);
        }
        interval = nanos;
    }

    /** Replaces the polled events. The samples of an event that was polled before continue. */
    public synchronized void set(boolean monitors, boolean allocations) {
        Subscription before = subscription;
        if (!monitors && !allocations) {
            subscription = null;
            if (before != null) {
                source.every(0);
            }
        } else if (before == null || before.monitors != monitors || before.allocations != allocations) {
            subscriptions++;
            subscription = new Subscription(
                    monitors,
                    before != null && before.monitors ? before.monitorsSince : System.nanoTime(),
                    allocations,
                    before != null && before.allocations ? before.allocationsSince : subscriptions);
            source.every(interval);
        }
    }

    /** Looks at all threads, and reports samples. */
    public void look() {
        Subscription now = subscription;
        if (now == null) {
            return;
        }
        Thread[] live = source.live();
        if (live.length != numbers.length) {
            numbers = new long[live.length];
            statuses = new long[live.length];
            bytes = new long[live.length];
        }
        long nanos = System.nanoTime();
        long passed = Math.min(nanos - last, nanos - now.monitorsSince);
        last = nanos;
        source.statuses(live, numbers, statuses);
        if (now.monitors && passed > 0) {
            reportContention(live, nanos, passed);
        }
        if (now.allocations) {
            reportAllocations(live, nanos, counted == now.allocationsSince);
            counted = now.allocationsSince;
        }
    }

    private boolean isBlocked(int i) {
        return statuses[i] >= 0 && ThreadStatus.state(statuses[i]) == Thread.State.BLOCKED;
    }

    private void reportContention(Thread[] live, long nanos, long passed) {
        int count = 0;
        for (int i = 0; i < live.length; i++) {
            count += isBlocked(i) ? 1 : 0;
        }
        if (count == 0 || !source.delivers(Event.MONITORS)) {
            return;
        }
        Thread[] blocked = new Thread[count];
        long[] blockedNumbers = new long[count];
        for (int i = 0, at = 0; i < live.length; i++) {
            if (isBlocked(i)) {
                blockedNumbers[at] = numbers[i];
                blocked[at++] = live[i];
            }
        }
        int asked = Math.min(count, MAX_MONITORS);
        @Nullable Object[] found = new Object[asked];
        long[] values = new long[2 * asked];
        source.monitors(live, Arrays.copyOf(blocked, asked), Arrays.copyOf(blockedNumbers, asked), found, values);
        for (int i = 0; i < count; i++) {
            Object monitor = i < asked ? found[i] : null;
            boolean isNamed = monitor != null && values[2 * i + 1] != 0;
            Optional<Blocker> blocker = blocker(monitor, isNamed, isNamed ? values[2 * i] : 0);
            Optional<ThreadId> owner =
                    isNamed && values[2 * i + 1] > 0 ? Optional.of(source.id(values[2 * i + 1])) : Optional.empty();
            boolean isOwn = blocker.isPresent() && blocker.get().className().startsWith(OWN_CLASSES);
            if (!isOwn && source.delivers(Event.MONITORS)) {
                source.contention(nanos, new ContentionSample(source.id(blocked[i]), passed, blocker, owner));
            }
        }
    }

    /** @param found the object; the name of its class if the JVM states that and the identity */
    private static Optional<Blocker> blocker(@Nullable Object found, boolean isNamed, long identity) {
        if (found == null) {
            return Optional.empty();
        }
        return Optional.of(
                isNamed
                        ? new Blocker((String) found, (int) identity)
                        : new Blocker(found.getClass().getName(), System.identityHashCode(found)));
    }

    /** @param follows true if the counters were read before in this subscription */
    private void reportAllocations(Thread[] live, long nanos, boolean follows) {
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = -1;
        }
        if (!source.allocated(numbers, bytes)) {
            source.lost();
            return;
        }
        counters.next(live.length);
        for (int i = 0; i < live.length; i++) {
            if (bytes[i] < 0) {
                continue;
            }
            long allocated = counters.raise(numbers[i], bytes[i]);
            if (follows && allocated > 0 && source.delivers(Event.ALLOCATIONS)) {
                source.allocation(nanos, new ThreadAllocation(source.id(live[i]), allocated, bytes[i]));
            }
        }
    }
}
