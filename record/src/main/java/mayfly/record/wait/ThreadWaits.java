package mayfly.record.wait;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The waits of a process's threads, derived from the kernel's records of switches. The records of different CPUs arrive
 * in any order; they are applied in the order of their times, once all records up to a time have arrived.
 *
 * <p>A stack is copied before the records up to the copy have been applied. Only these show to which wait the copy
 * belongs: a thread may have run and wait again, or it may have run during the copy.
 */
public final class ThreadWaits {

    /** A change in the life of a thread. */
    public enum Kind {
        /** The thread was created. */
        STARTED,
        /** A CPU runs it. */
        IN,
        /** It waits. */
        OUT,
        /** It could run, and does not. */
        PREEMPTED,
        /** It has ended. */
        ENDED
    }

    /**
     * A record of the kernel.
     *
     * @param time CLOCK_MONOTONIC, ns
     */
    public record Change(long time, int tid, Kind kind) {}

    /**
     * The waits of one thread that are shorter than the limit, since they were last taken.
     *
     * @param nanos the sum of their durations
     */
    public record ShortWaits(int tid, long nanos) {}

    /** Upper bound on failed attempts to copy a stack; the pauses between them double. */
    private static final int MAX_ATTEMPTS = 5;
    /** Upper bound on the records that wait for earlier ones, so that a burst of them needs little memory. */
    private static final int MAX_CHANGES = 1 << 16;

    /**
     * If the shortest wait is at least this long, stacks are copied when half of it has passed: a wait that is hardly
     * longer than the shortest would otherwise end before its copy. Copies of waits that turn out to be shorter are
     * dropped, which is too expensive if the shortest wait is shorter than this.
     */
    private static final long EARLY_COPY_NANOS = 4_000_000;

    private final long minNanos;
    /** The age of a wait at which its stack is copied. */
    private final long copyNanos;

    private final Map<Integer, Row> rows = new HashMap<>();
    private final List<Change> changes = new ArrayList<>();
    /** The threads whose waits are to be copied; each is in the queue at most once. */
    private final PriorityQueue<Row> due = new PriorityQueue<>(Comparator.comparingLong(row -> row.queuedFor));

    /** The waits with a copy that has not been walked, in the order of the copies. */
    private final Queue<ThreadWait> copied = new ArrayDeque<>();

    private List<ThreadWait> over = new ArrayList<>();
    private final List<ShortWaits> ofEnded = new ArrayList<>();
    private long applied = Long.MIN_VALUE;
    private long livedNanos;
    private long waitedNanos;
    private long unpaired;

    /** @param minNanos the shortest wait that is reported by itself; shorter ones are added up for each thread */
    public ThreadWaits(long minNanos) {
        this.minNanos = minNanos;
        this.copyNanos = minNanos < EARLY_COPY_NANOS ? minNanos : minNanos / 2;
    }

    /**
     * Adds a thread that was there when the recording began, unless it is known. It waits unless a record or a copy
     * shows otherwise.
     */
    public void found(int tid, long time) {
        if (rows.containsKey(tid)) {
            return;
        }
        Row row = row(tid, time);
        row.hasRun = true;
        begin(row, time, false, true);
    }

    /** Adds a record, which {@link #advance} applies. */
    public void add(Change change) {
        changes.add(change);
        if (changes.size() >= MAX_CHANGES) {
            changes.sort(Comparator.comparingLong(Change::time));
            advance(changes.get(MAX_CHANGES / 2).time());
        }
    }

    /** Applies the records up to a time, which have all arrived. */
    public void advance(long time) {
        changes.sort(Comparator.comparingLong(Change::time));
        int count = 0;
        while (count < changes.size() && changes.get(count).time() <= time) {
            apply(changes.get(count));
            count++;
        }
        changes.subList(0, count).clear();
        applied = Math.max(applied, time);
    }

    private void apply(Change change) {
        switch (change.kind()) {
            case STARTED -> {
                Row row = rows.get(change.tid());
                if (row == null || row.started < change.time()) {
                    end(change.tid(), change.time());
                    row(change.tid(), change.time());
                }
            }
            case IN -> resume(row(change.tid(), change.time()), change.time());
            case OUT -> suspend(change, false);
            case PREEMPTED -> suspend(change, true);
            case ENDED -> end(change.tid(), change.time());
        }
    }

    private Row row(int tid, long time) {
        return rows.computeIfAbsent(tid, id -> new Row(id, time));
    }

    private void suspend(Change change, boolean preempted) {
        Row row = row(change.tid(), change.time());
        row.hasRun = true;
        ThreadWait before = row.current;
        unpaired += before == null || before.wasFound() ? 0 : 1;
        begin(row, change.time(), preempted, false);
    }

    private void begin(Row row, long time, boolean preempted, boolean found) {
        ThreadWait wait = new ThreadWait(row.tid, time, time + copyNanos, preempted, found);
        row.current = wait;
        BlockedStack early = row.early;
        if (preempted) {
            return; // it has no stack to copy, and an early copy belongs to a later wait
        }
        row.early = null;
        if (early != null && early.begun() - time >= 0) {
            copied(wait, early);
        } else {
            enqueue(row, wait.dueNanos());
        }
    }

    private void enqueue(Row row, long time) {
        if (!row.isQueued) {
            row.isQueued = true;
            row.queuedFor = time;
            due.add(row);
        }
    }

    private void resume(Row row, long time) {
        ThreadWait wait = row.current;
        if (wait == null) {
            unpaired += row.hasRun ? 1 : 0;
            row.hasRun = true;
            return;
        }
        row.hasRun = true;
        row.current = null;
        BlockedStack copy = wait.copy();
        if (copy != null && copy.begun() - time > 0) {
            row.early = copy;
            wait.copied(null);
        } else if (copy != null && copy.time() - time > 0) {
            wait.copied(null); // the thread ran during the copy
        } else if (copy != null && copy.settled() - time > 0) {
            wait.copied(copy.withUnknownOwner());
        }
        finish(row, wait, time);
    }

    private void finish(Row row, ThreadWait wait, long time) {
        wait.end(time);
        if (wait.nanos() < 0) {
            unpaired += wait.wasFound() ? 0 : 1;
            return;
        }
        waitedNanos += wait.nanos();
        if (wait.nanos() >= minNanos) {
            over.add(wait);
        } else {
            wait.copied(null);
            row.shortNanos += wait.nanos();
        }
    }

    private void end(int tid, long time) {
        Row row = rows.remove(tid);
        if (row == null) {
            return;
        }
        unpaired += row.current == null || row.current.wasFound() ? 0 : 1;
        livedNanos += Math.max(0, time - row.started);
        if (row.shortNanos > 0) {
            ofEnded.add(new ShortWaits(tid, row.shortNanos));
        }
    }

    /**
     * Returns a wait that lasts and whose stack is to be copied; null if there is none now.
     * The caller reports the result of an attempt by {@link #copied}, {@link #runs} or {@link #putOff}.
     */
    public @Nullable ThreadWait nextDue(long now) {
        for (Row row = due.peek(); row != null && row.queuedFor - now <= 0; row = due.peek()) {
            due.remove();
            row.isQueued = false;
            ThreadWait wait = row.current;
            if (wait == null || wait.isPreempted() || wait.isCopied() || rows.get(row.tid) != row) {
                continue; // the next wait of the thread is queued when it begins
            }
            if (wait.dueNanos() - now <= 0) {
                return wait;
            }
            enqueue(row, wait.dueNanos());
        }
        return null;
    }

    /** Returns a time since which the thread of a wait exists, CLOCK_MONOTONIC in ns. */
    public long existsSince(ThreadWait wait) {
        Row row = rows.get(wait.tid());
        return row == null ? wait.since() : row.started;
    }

    /** Sets the copy of the stack of a wait. */
    public void copied(ThreadWait wait, BlockedStack stack) {
        wait.copied(stack);
        copied.add(wait);
    }

    /** Reports that a thread ran, or could run, when its stack was to be copied. The attempt is repeated later. */
    public void runs(ThreadWait wait, long now) {
        Row row = rows.get(wait.tid());
        if (row == null || row.current != wait) {
            return;
        }
        if (wait.wasFound()) {
            row.current = null;
            return;
        }
        int attempts = wait.failed();
        if (attempts < MAX_ATTEMPTS) {
            wait.putOff(now + (copyNanos << attempts));
            enqueue(row, wait.dueNanos());
        }
    }

    /** Repeats an attempt that found the thread blocked and did not succeed; the pauses double. */
    public void retry(ThreadWait wait, long now) {
        putOff(wait, now + (copyNanos << Math.min(wait.failed(), MAX_ATTEMPTS)));
    }

    /** Repeats an attempt at a later time. */
    public void putOff(ThreadWait wait, long time) {
        Row row = rows.get(wait.tid());
        if (row != null && row.current == wait) {
            wait.putOff(time);
            enqueue(row, time);
        }
    }

    /** Returns a wait with a copy that the records have proved to belong to it; null if there is none now. */
    public @Nullable ThreadWait nextCopied() {
        for (Iterator<ThreadWait> each = copied.iterator(); each.hasNext(); ) {
            ThreadWait wait = each.next();
            BlockedStack copy = wait.copy();
            if (copy == null) {
                each.remove();
            } else if (copy.settled() - applied <= 0) {
                each.remove();
                return wait;
            }
        }
        return null;
    }

    /**
     * Reports that records were lost before a time, so that it is not known which threads wait. Each counts as found
     * anew.
     *
     * @param tids the threads of the process
     */
    public void restart(long time, int[] tids) {
        changes.clear();
        Set<Integer> ended = new HashSet<>(rows.keySet());
        for (int tid : tids) {
            ended.remove(tid);
            Row row = row(tid, time);
            unpaired += row.current == null ? 0 : 1;
            row.early = null;
            row.hasRun = true;
            begin(row, time, false, true);
        }
        for (int tid : ended) {
            end(tid, time);
        }
    }

    /** Forgets all threads and their waits. */
    public void clear() {
        changes.clear();
        rows.clear();
        due.clear();
        copied.clear();
        over.clear();
        ofEnded.clear();
        unpaired = 0;
    }

    /** Returns the waits that are over since the last call, in about the order of their ends. */
    public List<ThreadWait> takeOver() {
        List<ThreadWait> taken = over;
        over = new ArrayList<>();
        return taken;
    }

    /** Returns the sums of the short waits since the last call. */
    public List<ShortWaits> takeShort() {
        List<ShortWaits> taken = new ArrayList<>(ofEnded);
        ofEnded.clear();
        rows.forEach((tid, row) -> {
            if (row.shortNanos > 0) {
                taken.add(new ShortWaits(tid, row.shortNanos));
                row.shortNanos = 0;
            }
        });
        return taken;
    }

    /** Ends all waits with the recording. A thread that was found and never seen waiting counts as running. */
    public void finish(long time) {
        advance(time);
        changes.clear();
        applied = Long.MAX_VALUE;
        for (Row row : rows.values()) {
            ThreadWait wait = row.current;
            row.current = null;
            if (wait != null && (!wait.wasFound() || wait.isCopied())) {
                finish(row, wait, time);
            }
            livedNanos += Math.max(0, time - row.started);
            row.started = time;
        }
    }

    /** Returns the time for which all threads existed during the recording, ns. Complete after {@link #finish}. */
    public long livedNanos() {
        return livedNanos;
    }

    /** Returns the sum of all waits, ns. */
    public long waitedNanos() {
        return waitedNanos;
    }

    /** Returns the number of waits whose end, or whose beginning, was not recorded. */
    public long unpaired() {
        return unpaired;
    }

    /** A thread. */
    private static final class Row {
        private final int tid;
        private long started;
        /** True if an earlier record was of this thread, which was running or waiting then. */
        private boolean hasRun;
        /** The wait that lasts; null if the thread runs. */
        private @Nullable ThreadWait current;
        /** A copy that belongs to a wait whose records have not been applied yet. */
        private @Nullable BlockedStack early;

        private long shortNanos;
        private boolean isQueued;
        private long queuedFor;

        Row(int tid, long started) {
            this.tid = tid;
            this.started = started;
        }
    }
}
