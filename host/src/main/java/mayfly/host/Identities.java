package mayfly.host;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for objects of the application, by identity, from 1 on and never given twice. Nothing here holds one alive.
 *
 * <p>That one has gone is looked for, not waited for in a queue: when a collection has ended its reference is clear, but
 * the JVM's own thread that fills such queues may not have run.
 */
final class Identities<T> {
    private final Map<Known<T>, Known<T>> byObject = new ConcurrentHashMap<>();
    private final Map<Long, Known<T>> byNumber = new ConcurrentHashMap<>();
    private final Object adding = new Object();
    private long last;

    private static final class Known<T> extends WeakReference<T> {
        private final int hash;
        private final long number;

        Known(T object, long number) {
            super(object);
            this.hash = System.identityHashCode(object);
            this.number = number;
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            T object = get();
            return this == other || object != null && other instanceof Known && ((Known<?>) other).get() == object;
        }
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
    private long meet(T object) {
        Known<T> known = known(object);
        if (known == null) {
            synchronized (adding) {
                known = known(object);
                if (known == null) {
                    Known<T> fresh = new Known<>(object, ++last);
                    byNumber.put(fresh.number, fresh); // before others can find it and ask for what has the number
                    byObject.put(fresh, fresh);
                    return fresh.number;
                }
            }
        }
        return -known.number;
    }

    private @Nullable Known<T> known(T object) {
        return byObject.get(new Known<>(object, 0));
    }

    /** What has this number; null if nothing has, or it has gone. */
    @Nullable T object(long number) {
        Known<T> known = byNumber.get(number);
        return known == null ? null : known.get();
    }

    /** The numbers of those that have been collected, each once. Looks at all that are known. */
    List<Long> takeGone() {
        List<Long> gone = new ArrayList<>();
        for (Known<T> known : byNumber.values()) {
            if (known.refersTo(null)) {
                byNumber.remove(known.number);
                byObject.remove(known);
                gone.add(known.number);
            }
        }
        return gone;
    }
}
