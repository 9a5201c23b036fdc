package mayfly.record.allocation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.thread.AllocationCounters;

/**
 * The bytes that the threads of one runtime allocate, and the samples among which they are divided.
 *
 * <p>A counter that is read during a change of its parts is wrong, and right again soon. So an increase counts only if
 * the next reading confirms it.
 */
public final class ThreadAllocations implements AllocationCounters.Each {
    /** Upper bound on the bytes that a thread allocates between two readings; a larger number is not believed. */
    private static final long MAX_BYTES = 1L << 36;
    /** Upper bound on the bytes of the last reading of a thread, which no other reading confirms. */
    private static final long MAX_LAST_BYTES = 64 << 20;
    /** A thread that no reading has had for this long has ended. */
    private static final long MISSING_NANOS = 1_000_000_000;

    /** Between readings that are further apart than this, a thread can run much other code. */
    private static final long PRECISE_NANOS = 5_000_000;

    private final Map<Integer, ThreadRow> rows = new HashMap<>();
    private final boolean sinceStart;
    /** The counters of the present reading. */
    private int count;

    private int[] tids = new int[16];
    private long[] threads = new long[16];
    private long[] values = new long[16];

    private boolean hasReading;
    /** The time of the last reading, CLOCK_MONOTONIC in ns. */
    private long time;

    private long bytes;
    private long uncounted;
    private long dropped;
    private long imprecise;
    private long implausible;

    /**
     * Some of the bytes of a thread.
     *
     * @param tid the id of the thread: as in its sample, or if there is none, in the target's own pid namespace
     * @param time the time of the sample, CLOCK_MONOTONIC in ns; without a sample, the time of the last reading
     * @param stack the number of the sample's stack in the capture; -1 without a sample
     * @param outcome the outcome of the sample's walk
     */
    public record Share(int tid, long time, long bytes, int stack, WalkOutcome outcome) {
        /** Returns true if the bytes belong to a sample. */
        public boolean isSampled() {
            return stack >= 0;
        }
    }

    /**
     * Creates an observation.
     *
     * @param begun the time at which the recording began, CLOCK_MONOTONIC in ns
     * @param sinceStart true if the runtime was started later: the counters of its first reading count
     */
    public ThreadAllocations(long begun, boolean sinceStart) {
        this.time = begun;
        this.sinceStart = sinceStart;
    }

    @Override
    public void counter(int tid, long thread, long value) {
        if (count == tids.length) {
            tids = Arrays.copyOf(tids, 2 * count);
            threads = Arrays.copyOf(threads, 2 * count);
            values = Arrays.copyOf(values, 2 * count);
        }
        tids[count] = tid;
        threads[count] = thread;
        values[count++] = value;
    }

    /** Drops the counters of a reading that has failed. */
    public void abandon() {
        count = 0;
    }

    /**
     * Applies the counters of a reading.
     *
     * @param now a time before the reading, CLOCK_MONOTONIC in ns
     */
    public void apply(long now) {
        for (int i = 0; i < count; i++) {
            apply(tids[i], threads[i], values[i], now);
        }
        count = 0;
        hasReading = true;
        time = now;
    }

    private void apply(int tid, long thread, long value, long now) {
        if (value < 0) {
            implausible++;
            return;
        }
        ThreadRow row = rows.computeIfAbsent(tid, ThreadRow::new);
        row.lastSeen = now;
        if (!row.isRead()) {
            row.begin(thread, hasReading || sinceStart ? 0 : value, value, time, now);
        } else if (row.thread() != thread) {
            settle(row);
            row.begin(thread, 0, value, time, now);
        } else {
            row.confirmBase(value);
            add(row, Math.min(row.last(), value), MAX_BYTES);
            row.read(value, now);
        }
    }

    /** Adds the bytes of a thread up to a value of its counter that was confirmed. */
    private void add(ThreadRow row, long confirmed, long limit) {
        long more = confirmed - row.counted();
        if (more > limit) {
            implausible++;
        } else if (more > 0) {
            row.add(confirmed);
            bytes += more;
            imprecise += row.interval() > PRECISE_NANOS ? more : 0;
        }
    }

    private void settle(ThreadRow row) {
        if (row.isRead()) {
            add(row, row.last(), MAX_LAST_BYTES);
        }
    }

    /** Returns false if it is known that a thread allocates nothing at a time: its sample would have no bytes. */
    public boolean mayAllocate(int tid, long at) {
        ThreadRow row = rows.get(tid);
        return row == null || !row.isRead() ? at > time : row.mayAllocate(at);
    }

    /**
     * Adds a sample of a time, which gets a share later.
     *
     * @param inner the id of its thread in the target's own pid namespace
     * @param outer the id that its share has
     * @param at the time of the sample, CLOCK_MONOTONIC in ns
     * @param stack the number of its stack in the capture
     */
    public void sample(int inner, int outer, long at, int stack, WalkOutcome outcome) {
        sample(inner, outer, at, stack, outcome, 0);
    }

    /**
     * Adds a sample of an allocation, which gets a share later.
     *
     * @param inner the id of its thread in the target's own pid namespace
     * @param outer the id that its share has
     * @param at the time of the sample, CLOCK_MONOTONIC in ns
     * @param stack the number of its stack in the capture
     * @param obtained the bytes that the thread has obtained: its share is proportional to them
     */
    public void sample(int inner, int outer, long at, int stack, WalkOutcome outcome, long obtained) {
        ThreadRow row = rows.computeIfAbsent(inner, ThreadRow::new);
        long before = row.dropped;
        row.sample(outer, at, stack, outcome, obtained);
        dropped += row.dropped - before;
    }

    /**
     * Divides the bytes that were counted since the last call among the samples. A thread's bytes are divided among
     * samples of allocations by the bytes obtained, and among samples of times by the rates at which it allocated at
     * these times, and by the times for which they stand. If it has no sample with bytes or a rate, its bytes are left
     * for the next call, or if it has ended, they are a share without a sample. The samples of a thread without a
     * counter, because it ended before its first reading, have the bytes obtained.
     */
    public List<Share> divide() {
        List<Share> shares = new ArrayList<>();
        for (Iterator<ThreadRow> each = rows.values().iterator(); each.hasNext(); ) {
            ThreadRow row = each.next();
            if (!row.isRead()) {
                uncounted += row.divideUncounted(time, shares);
                if (row.hasNoSamples()) {
                    each.remove(); // a thread of no runtime, or one that has ended
                }
            } else if (time - row.lastSeen > MISSING_NANOS) {
                settle(row);
                row.divideAll(shares);
                each.remove();
            } else {
                row.divide(shares);
            }
        }
        return shares;
    }

    /** Divides all bytes, and forgets the threads. The bytes that belong to no sample are shares too. */
    public List<Share> finish() {
        List<Share> shares = new ArrayList<>();
        for (ThreadRow row : rows.values()) {
            if (row.isRead()) {
                settle(row);
                row.divideAll(shares);
            } else {
                uncounted += row.divideUncounted(Long.MAX_VALUE, shares);
            }
        }
        rows.clear();
        return shares;
    }

    /** Returns the bytes that all threads have allocated during the recording, as far as they are confirmed. */
    public long bytes() {
        return bytes;
    }

    /** Returns the bytes of samples whose threads have no counter; they are not among {@link #bytes}. */
    public long uncounted() {
        return uncounted;
    }

    /** Returns the number of samples that were dropped, because a thread had too many between two divisions. */
    public long dropped() {
        return dropped;
    }

    /** Returns the bytes that were counted by readings more than 5 ms apart. */
    public long imprecise() {
        return imprecise;
    }

    /** Returns the number of values that were not believed. */
    public long implausible() {
        return implausible;
    }
}
