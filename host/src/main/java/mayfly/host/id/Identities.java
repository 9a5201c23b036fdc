package mayfly.host.id;

import java.lang.ref.PhantomReference;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for objects of the application, by identity, starting at 1 and never reused. This class keeps none of the
 * objects alive. An object keeps its number until it can no longer be resurrected, including during finalization.
 *
 * <p>Collected objects are found by inspection, not through a reference queue: when a collection has ended, their
 * references are clear, but the JVM's thread that fills the queues may not have run.
 *
 * <p>No class may be used for the first time while the lock is held, which excludes the JDK's maps. This code runs in
 * callbacks, and a callback may occur because its thread is loading a class of such a map, for example that of its tree
 * nodes. If another thread needed the class while it held the lock, it would wait for the first thread, and the first
 * thread for the lock. Everything is allocated before anything is changed.
 */
public final class Identities<T> {
    private static final int FIRST_CAPACITY = 256;
    private static final long[] NONE = {};
    /**
     * Upper bound on the numbers that are kept of dropped entries. Without an event for collections, nothing takes
     * them.
     */
    private static final int MAX_DROPPED = 1 << 16;

    /** Entries ordered by number, without gaps. */
    private Known<T>[] known = newArray(FIRST_CAPACITY);

    private int count;
    /**
     * Hash table of the entries. An entry whose place is taken is in the next free place after it. The table is twice
     * as long as the other array, so that a place is always free.
     */
    private @Nullable Known<T>[] places = newArray(2 * FIRST_CAPACITY);

    private long last;
    /** Numbers of collected objects whose entries have been dropped. */
    private long[] dropped = NONE;

    private static final class Known<T> extends PhantomReference<T> {
        private final WeakReference<T> object;
        private final int hash;
        private final long number;

        Known(T object, int hash, long number) {
            super(object, null);
            this.object = new WeakReference<>(object);
            this.hash = hash;
            this.number = number;
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> Known<T>[] newArray(int length) {
        return (Known<T>[]) new Known<?>[length];
    }

    /** Returns the object's number, or a new one if it has none. */
    public long of(T object) {
        return Math.abs(meet(object));
    }

    /**
     * Returns a new number if the object has none; otherwise 0. If two threads see it at the same time, one receives
     * the number.
     */
    public long ofNew(T object) {
        return Math.max(meet(object), 0);
    }

    /** Returns the new number of an object that had none; otherwise the negated existing number. */
    private synchronized long meet(T object) {
        int hash = System.identityHashCode(object);
        int at = hash & (places.length - 1);
        for (Known<T> there = places[at]; there != null; there = places[at]) {
            if (there.hash == hash && there.refersTo(object)) {
                return -there.number;
            }
            at = (at + 1) & (places.length - 1);
        }
        Known<T> fresh = new Known<>(object, hash, last + 1);
        if (count == known.length && !dropGone()) {
            grow();
        }
        last = fresh.number;
        known[count++] = fresh;
        place(fresh);
        return fresh.number;
    }

    /**
     * Drops the entries of collected objects, whose numbers are kept for {@link #takeGone}. Returns false, without an
     * effect, if there are few.
     */
    private boolean dropGone() {
        int goneCount = goneCount();
        if (goneCount < count / 4) {
            return false;
        }
        int kept = Math.min(goneCount, MAX_DROPPED - dropped.length);
        long[] longer = Arrays.copyOf(dropped, dropped.length + kept);
        long[] gone = new long[goneCount];
        take(gone, 0);
        System.arraycopy(gone, 0, longer, dropped.length, kept);
        dropped = longer;
        return true;
    }

    private int goneCount() {
        int goneCount = 0;
        for (int i = 0; i < count; i++) {
            goneCount += known[i].refersTo(null) ? 1 : 0;
        }
        return goneCount;
    }

    private void grow() {
        Known<T>[] larger = Arrays.copyOf(known, 2 * count);
        places = newArray(4 * count);
        known = larger;
        placeAll();
    }

    private void placeAll() {
        for (int i = 0; i < count; i++) {
            place(known[i]);
        }
    }

    private void place(Known<T> one) {
        int at = one.hash & (places.length - 1);
        while (places[at] != null) {
            at = (at + 1) & (places.length - 1);
        }
        places[at] = one;
    }

    /** Returns the object with this number; null if there is none or it has been collected. */
    public synchronized @Nullable T object(long number) {
        Known<T> one = find(number);
        return one == null ? null : one.object.get();
    }

    private @Nullable Known<T> find(long number) {
        int from = 0;
        int to = count;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (known[middle].number < number) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from < count && known[from].number == number ? known[from] : null;
    }

    /** Returns a reference to the object with this number; null if there is none or it has been collected. */
    public synchronized @Nullable WeakReference<T> reference(long number) {
        Known<T> one = find(number);
        return one == null || one.object.refersTo(null) ? null : one.object;
    }

    /** Returns the numbers of collected objects, each once. Inspects all known objects. */
    public synchronized long[] takeGone() {
        int goneCount = goneCount();
        if (goneCount + dropped.length == 0) {
            return NONE;
        }
        long[] gone = Arrays.copyOf(dropped, dropped.length + goneCount);
        int first = dropped.length;
        dropped = NONE;
        take(gone, first);
        return gone;
    }

    /** Further objects may have been collected since the count; they are left for the next call. */
    private void take(long[] gone, int first) {
        int taken = first;
        int left = 0;
        for (int i = 0; i < count; i++) {
            Known<T> each = known[i];
            if (taken < gone.length && each.refersTo(null)) {
                gone[taken++] = each.number;
            } else {
                known[left++] = each;
            }
        }
        Arrays.fill(known, left, count, null);
        count = left;
        Arrays.fill(places, null);
        placeAll();
    }
}
