package mayfly.host.id;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * Threads by number, so that one thread is found without enumerating all. This class keeps no thread alive.
 *
 * <p>As in {@link Identities}, no class of the JDK is used for the first time while the lock is held: callbacks call
 * this code.
 */
public final class Threads {
    private static final int FIRST_CAPACITY = 64;
    private static final int GONE_CAPACITY = 1024;

    /**
     * Hash table of the entries. An entry whose place is taken is in the next free place after it. At least half of
     * the places are free.
     */
    private @Nullable Known[] places = new Known[FIRST_CAPACITY];

    private int count;
    /** Numbers that were dropped from the table, each at its hash: a later one takes the place of an earlier one. */
    private final long[] gone = new long[GONE_CAPACITY];

    /** The number of the present subscription to the starts and ends of waits. */
    private int subscription = 1;

    private static final class Known extends WeakReference<Thread> {
        private final long number;
        /** The wait whose start was reported and that has not ended, see {@link #code}; otherwise 0. */
        private int started;

        Known(Thread thread, long number) {
            super(thread);
            this.number = number;
        }
    }

    public synchronized void add(Thread thread, long number) {
        int at = place(number);
        if (places[at] != null) {
            return;
        }
        Known known = new Known(thread, number);
        if (2 * (count + 1) > places.length) {
            grow();
            at = place(number);
        }
        places[at] = known;
        count++;
    }

    /** Returns a number other than 0 for each kind of wait in each subscription. */
    private int code(boolean waits) {
        return 2 * subscription + (waits ? 1 : 0);
    }

    /**
     * Records that the start of a wait of a known thread was reported.
     *
     * @param waits true for {@link Object#wait()}, false for a wait to enter a monitor
     */
    public synchronized void started(long number, boolean waits) {
        Known known = places[place(number)];
        if (known != null) {
            known.started = code(waits);
        }
    }

    /**
     * Returns true if the start of the wait that has ended was reported in the present subscription. JDK 25 also
     * reports ends without a start, for virtual threads.
     */
    public synchronized boolean finished(long number, boolean waits) {
        Known known = places[place(number)];
        if (known == null || known.started != code(waits)) {
            return false;
        }
        known.started = 0;
        return true;
    }

    /** Begins another subscription. */
    public synchronized void forgetStarts() {
        subscription++;
    }

    /** Returns a thread seen before, which may have ended; null if it was not seen or has been collected. */
    public synchronized @Nullable Thread get(long number) {
        Known known = places[place(number)];
        return known == null ? null : known.get();
    }

    /**
     * Returns true if the thread was seen and has ended; its number is not used again. Returns false, although the
     * thread has ended, if the number of another ended thread has replaced its number.
     */
    public synchronized boolean isGone(long number) {
        Known known = places[place(number)];
        return known == null ? gone[goneAt(number)] == number : !lives(known);
    }

    /** Returns the place of a number in {@link #gone}. A free place is 0: the JVM numbers its threads from 1. */
    private static int goneAt(long number) {
        return hash(number) & (GONE_CAPACITY - 1);
    }

    private int place(long number) {
        int at = hash(number) & (places.length - 1);
        for (Known there = places[at]; there != null && there.number != number; there = places[at]) {
            at = (at + 1) & (places.length - 1);
        }
        return at;
    }

    private static int hash(long number) {
        return (int) (number * 0x9E3779B97F4A7C15L >>> 32);
    }

    /** Drops threads that have been collected or have ended. */
    private void grow() {
        @Nullable Known[] all = places;
        int living = 0;
        for (Known known : all) {
            living += known != null && lives(known) ? 1 : 0;
        }
        int length = FIRST_CAPACITY;
        while (length < 4 * (living + 1)) {
            length *= 2;
        }
        places = new Known[length];
        count = 0;
        for (Known known : all) {
            if (known == null) {
                continue;
            }
            if (count < living && lives(known)) {
                places[place(known.number)] = known;
                count++;
            } else if (!lives(known)) {
                gone[goneAt(known.number)] = known.number;
            }
        }
    }

    /** Returns true if the thread is alive. A thread that has not been started is not recorded here. */
    private static boolean lives(Known known) {
        Thread thread = known.get();
        return thread != null && thread.isAlive();
    }
}
