package mayfly.host;

import java.lang.ref.PhantomReference;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for objects of the application, by identity, from 1 on and never given twice. Nothing here holds one alive. An
 * object keeps its number until it can come back no more, also while it is finalized.
 *
 * <p>That one has gone is looked for, not waited for in a queue: when a collection has ended its reference is clear, but
 * the JVM's own thread that fills such queues may not have run.
 *
 * <p>With the lock no class is used for the first time, so no map of the JDK's: this is called in callbacks, and one may come because
 * its thread is just loading a class of that map, say that of its tree nodes. Another thread that needs it with the lock would
 * wait for that thread, and that one for the lock. And whatever needs memory comes before anything is changed.
 */
final class Identities<T> {
    private static final int FIRST_CAPACITY = 256;
    private static final long[] NONE = {};

    /** By number, without gaps. */
    private Known<T>[] known = newArray(FIRST_CAPACITY);
    private int count;
    /** By hash, each at the first free place from there on; twice as long as the other, so that there is always one. */
    private @Nullable Known<T>[] places = newArray(2 * FIRST_CAPACITY);
    private long last;

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

    /** Its number; a new one if it has none. */
    long of(T object) {
        return Math.abs(meet(object));
    }

    /** A new number if it has none; else 0. Of two threads that meet it at once one is given a number. */
    long ofNew(T object) {
        return Math.max(meet(object), 0);
    }

    /** A new number, or, negative, the one that it has. */
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
        if (count == known.length) {
            grow();
        }
        last = fresh.number;
        known[count++] = fresh;
        place(fresh);
        return fresh.number;
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

    /** What has this number; null if nothing has, or it has gone. */
    synchronized @Nullable T object(long number) {
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
        return from < count && known[from].number == number ? known[from].object.get() : null;
    }

    /** The numbers of those that have been collected, each once. Looks at all that are known. */
    synchronized long[] takeGone() {
        int goneCount = 0;
        for (int i = 0; i < count; i++) {
            goneCount += known[i].refersTo(null) ? 1 : 0;
        }
        return goneCount == 0 ? NONE : take(new long[goneCount]);
    }

    /** More may have gone since they were counted; those are left. */
    private long[] take(long[] gone) {
        int taken = 0;
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
        return gone;
    }
}
