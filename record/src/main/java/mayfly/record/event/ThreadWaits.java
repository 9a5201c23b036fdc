package mayfly.record.event;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The waits of a process's threads, derived from the kernel's records of switches. The records of different CPUs arrive
 * in any order; they are applied in the order of their times, once all records up to a time have arrived.
 */
final class ThreadWaits {

    /** A change in the life of a thread. */
    enum Kind {
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
    record Change(long time, int tid, Kind kind) {}

    /**
     * The waits of one thread that are shorter than the limit, since they were last taken.
     *
     * @param nanos the sum of their durations
     */
    record ShortWaits(int tid, long count, long nanos) {}

    /** A wait whose stack is to be copied, at the earliest at a time. */
    private record Due(ThreadWait subject, long time, int attempts) {}

    /** Upper bound on repeated attempts to copy a stack; the pauses between them double. */
    private static final int MAX_ATTEMPTS = 4;

    private final long minNanos;
    private final Map<Integer, Row> rows = new HashMap<>();
    private final List<Change> changes = new ArrayList<>();
    private final PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparingLong(Due::time));
    private List<ThreadWait> over = new ArrayList<>();
    private final List<ShortWaits> ofEnded = new ArrayList<>();
    private long livedNanos;
    private long waitedNanos;
    private long unpaired;

    /** @param minNanos the shortest wait that is reported by itself; shorter ones are added up for each thread */
    ThreadWaits(long minNanos) {
        this.minNanos = minNanos;
    }

    /** Adds a thread that was there when the recording began. It waits unless a record or a copy shows otherwise. */
    void found(int tid, long time) {
        Row row = row(tid, time);
        begin(row, new ThreadWait(tid, time, false, true));
    }

    /** Adds a record, which {@link #advance} applies. */
    void add(Change change) {
        changes.add(change);
    }

    /** Applies the records up to a time, which have all arrived. */
    void advance(long time) {
        changes.sort(Comparator.comparingLong(Change::time));
        int applied = 0;
        while (applied < changes.size() && changes.get(applied).time() <= time) {
            apply(changes.get(applied));
            applied++;
        }
        changes.subList(0, applied).clear();
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
        return rows.computeIfAbsent(tid, _ -> new Row(time));
    }

    private void suspend(Change change, boolean preempted) {
        Row row = row(change.tid(), change.time());
        ThreadWait before = row.current;
        unpaired += before == null || before.wasFound() ? 0 : 1;
        begin(row, new ThreadWait(change.tid(), change.time(), preempted, false));
    }

    private void begin(Row row, ThreadWait wait) {
        BlockedStack early = row.early;
        row.early = null;
        row.current = wait;
        if (early != null && early.begun() - wait.since() >= 0) {
            wait.copied(early);
        } else if (!wait.isPreempted()) {
            due.add(new Due(wait, wait.since() + minNanos, 0));
        }
    }

    private void resume(Row row, long time) {
        ThreadWait wait = row.current;
        if (wait == null) {
            return; // its first record, or the record of the switch before it is lost
        }
        row.current = null;
        BlockedStack copy = wait.copy();
        if (copy != null && copy.begun() - time > 0) {
            // The thread has run and waits again, which its records will show.
            row.early = copy;
            wait.copied(null);
        } else if (copy != null && copy.time() - time > 0) {
            wait.copied(null); // the thread ran during the copy
        }
        finish(row, wait, time);
    }

    private void finish(Row row, ThreadWait wait, long time) {
        wait.end(time);
        if (wait.nanos() < 0) {
            unpaired++;
            return;
        }
        waitedNanos += wait.nanos();
        if (wait.nanos() >= minNanos) {
            over.add(wait);
        } else {
            row.shortCount++;
            row.shortNanos += wait.nanos();
        }
    }

    private void end(int tid, long time) {
        Row row = rows.remove(tid);
        if (row == null) {
            return;
        }
        livedNanos += time - row.started;
        if (row.shortCount > 0) {
            ofEnded.add(new ShortWaits(tid, row.shortCount, row.shortNanos));
        }
    }

    /**
     * Returns the next wait that lasts, has reached the shortest duration, and is not copied yet; null if there is none
     * now.
     */
    @Nullable
    ThreadWait nextDue(long now) {
        for (Due first = due.peek(); first != null && first.time() - now <= 0; first = due.peek()) {
            due.remove();
            ThreadWait wait = first.subject();
            if (wait.lasts() && !wait.isCopied() && isCurrent(wait)) {
                if (first.attempts() < MAX_ATTEMPTS) {
                    // Removed again if the next attempt succeeds.
                    long pause = minNanos << first.attempts();
                    due.add(new Due(wait, now + pause, first.attempts() + 1));
                }
                return wait;
            }
        }
        return null;
    }

    private boolean isCurrent(ThreadWait wait) {
        Row row = rows.get(wait.tid());
        return row != null && row.current == wait;
    }

    /** Reports that a thread ran when its stack was to be copied. */
    void runs(ThreadWait wait) {
        Row row = rows.get(wait.tid());
        if (row != null && row.current == wait && wait.wasFound()) {
            row.current = null;
        }
    }

    /**
     * Reports that records were lost before a time: it is not known which threads wait. Each thread counts as found
     * anew.
     */
    void restart(long time) {
        rows.forEach((tid, row) -> {
            unpaired += row.current == null ? 0 : 1;
            row.early = null;
            begin(row, new ThreadWait(tid, time, false, true));
        });
    }

    /** Returns the waits that are over since the last call, in about the order of their ends. */
    List<ThreadWait> takeOver() {
        List<ThreadWait> taken = over;
        over = new ArrayList<>();
        return taken;
    }

    /** Returns the sums of the short waits since the last call. */
    List<ShortWaits> takeShort() {
        List<ShortWaits> taken = new ArrayList<>(ofEnded);
        ofEnded.clear();
        rows.forEach((tid, row) -> {
            if (row.shortCount > 0) {
                taken.add(new ShortWaits(tid, row.shortCount, row.shortNanos));
                row.shortCount = 0;
                row.shortNanos = 0;
            }
        });
        return taken;
    }

    /** Ends all waits with the recording. A thread that was found and never seen waiting counts as running. */
    void finish(long time) {
        advance(Long.MAX_VALUE);
        for (Iterator<Row> left = rows.values().iterator(); left.hasNext(); ) {
            Row row = left.next();
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
    long livedNanos() {
        return livedNanos;
    }

    /** Returns the sum of all waits, ns. */
    long waitedNanos() {
        return waitedNanos;
    }

    /** Returns the number of waits whose end, or whose beginning, was not recorded. */
    long unpaired() {
        return unpaired;
    }

    /** A thread. */
    private static final class Row {
        private long started;
        /** The wait that lasts; null if the thread runs. */
        private @Nullable ThreadWait current;
        /** A copy that belongs to a wait whose records have not been applied yet. */
        private @Nullable BlockedStack early;

        private long shortCount;
        private long shortNanos;

        Row(long started) {
            this.started = started;
        }
    }
}
