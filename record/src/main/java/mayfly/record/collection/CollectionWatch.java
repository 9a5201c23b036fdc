package mayfly.record.collection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import mayfly.process.MemoryFault;
import mayfly.runtime.collection.Collection;
import mayfly.runtime.collection.Collections;
import org.jspecify.annotations.Nullable;

/**
 * The pauses of one runtime's collectors that end after a time.
 *
 * <p>A runtime records only the latest pause of each collector, and the number of all. A pause that no reading saw, or
 * whose end none saw, is counted as missed.
 */
public final class CollectionWatch {
    /** For a runtime that is started during the recording. */
    public static final long ALL = Long.MIN_VALUE;

    /** Upper bound on the pauses of a collector between two readings; a larger number is not believed. */
    private static final long MAX_MISSED = 1_000_000;

    private final Collections collections;
    private final LongSupplier clock;
    private final long since;
    private final List<Watched> collectors = new ArrayList<>();
    private final Deque<ObservedPause> ended = new ArrayDeque<>();

    /**
     * Creates a watch.
     *
     * @param clock returns CLOCK_MONOTONIC, ns; a time that it has not reached is not believed
     * @param since the time, CLOCK_MONOTONIC in ns; {@link #ALL} if all pauses of the runtime count
     */
    public CollectionWatch(Collections collections, LongSupplier clock, long since) {
        this.collections = collections;
        this.clock = clock;
        this.since = since;
    }

    /** The pauses of one collector. */
    private static final class Watched {
        private final long firstNumber;
        private final long firstTotal;
        private long lastNumber;
        private long lastTotal;
        /** The begin of the latest pause that was seen, in the runtime's clock. It identifies the pause. */
        private long lastBegun;

        private long taken;
        /** The time of those taken that have ended, ns. */
        private long takenNanos;

        private @Nullable Collection current;

        /**
         * Begins to watch.
         *
         * @param number the number of pauses that do not count
         * @param total their time, ns
         * @param begun the begin of the last one of them that is known
         */
        Watched(long number, long total, long begun) {
            firstNumber = number;
            firstTotal = total;
            lastNumber = number;
            lastTotal = total;
            lastBegun = begun;
        }

        /** Sets the latest reading. Returns a pause that has ended since the last one; null if there is none. */
        @Nullable
        Collection see(Collection latest) {
            long since = latest.number() - lastNumber;
            if (since < 0 || since > MAX_MISSED) {
                return null;
            }
            lastNumber = latest.number();
            lastTotal = latest.total();
            if (latest.begun() != lastBegun) {
                lastBegun = latest.begun();
                current = latest;
            }
            Collection seen = current;
            if (seen == null) {
                return null;
            }
            // The first cause is kept: that of the end may be the next one's.
            Collection named = seen.hasKnownCause() ? latest.withCause(seen.cause()) : latest;
            current = latest.ended() == 0 ? named : null;
            return latest.ended() == 0 ? null : named;
        }

        long missed() {
            return Math.max(0, lastNumber - firstNumber - taken - (current == null ? 0 : 1));
        }

        long missedNanos() {
            return missed() == 0 ? 0 : Math.max(0, lastTotal - firstTotal - takenNanos);
        }
    }

    /**
     * Reads the latest pauses. Must be called often.
     *
     * @throws MemoryFault if the runtime cannot be read
     */
    public void look() throws MemoryFault {
        Optional<List<Collection>> latest = collections.latest();
        if (latest.isEmpty()) {
            return;
        }
        List<ObservedPause> seen = new ArrayList<>();
        for (int i = 0; i < latest.get().size(); i++) {
            Collection pause = latest.get().get(i);
            if (i == collectors.size()) {
                collectors.add(first(pause));
            }
            Collection over = collectors.get(i).see(pause);
            if (over != null) {
                add(collectors.get(i), over, over.ended() + collections.clockStart(), seen);
            }
        }
        seen.sort(Comparator.comparingLong(ObservedPause::ended));
        ended.addAll(seen);
    }

    /** Of the pauses before the first reading, only the latest one's times are known. */
    private Watched first(Collection pause) {
        if (since == ALL) {
            return new Watched(0, 0, 0);
        }
        if (pause.isInProgress()) {
            return new Watched(pause.number() - 1, pause.total(), 0);
        }
        long end = collections.clockStart() + pause.ended();
        return pause.ended() > 0 && end >= since
                ? new Watched(pause.number() - 1, pause.total() - (pause.ended() - pause.begun()), 0)
                : new Watched(pause.number(), pause.total(), pause.begun());
    }

    /** Adds a pause with its times, unless they are implausible. It then is one of those that were missed. */
    private void add(Watched collector, Collection pause, long end, List<ObservedPause> to) {
        long begun = pause.begun() + collections.clockStart();
        if (pause.begun() > 0 && begun > 0 && end >= begun && end <= clock.getAsLong()) {
            collector.taken++;
            collector.takenNanos += pause.ended() == 0 ? 0 : end - begun;
            to.add(new ObservedPause(
                    pause.collector(),
                    pause.kind(),
                    pause.cause(),
                    pause.hasKnownCause(),
                    begun,
                    end,
                    pause.ended() != 0));
        }
    }

    /** Removes the oldest pause that has ended, and returns it; null if all were taken. */
    public @Nullable ObservedPause take() {
        return ended.poll();
    }

    /**
     * Ends the observation. Returns the pauses that have not ended, with their times until now.
     *
     * @param now CLOCK_MONOTONIC, ns
     */
    public List<ObservedPause> finish(long now) {
        List<ObservedPause> open = new ArrayList<>();
        for (Watched collector : collectors) {
            Collection current = collector.current;
            collector.current = null;
            if (current != null) {
                add(collector, current, now, open);
            }
        }
        return open;
    }

    /** Returns the number of pauses whose times are not known. */
    public long missed() {
        return collectors.stream().mapToLong(Watched::missed).sum();
    }

    /** Returns the time of these pauses, ns: the runtime adds up the time of all. */
    public long missedNanos() {
        return collectors.stream().mapToLong(Watched::missedNanos).sum();
    }

    /** Returns the thread that executes the pauses, by its id in the target's own pid namespace; 0 if unknown. */
    public int executor() {
        try {
            return collections.executor();
        } catch (MemoryFault e) {
            return 0; // the process is ending
        }
    }
}
