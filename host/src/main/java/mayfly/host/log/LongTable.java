package mayfly.host.log;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A map from numbers to objects that uses no class of the JDK but arrays, so that a lock may be held while it is used:
 * {@link mayfly.host.id.Identities} has the reason. The owner synchronizes its use.
 */
final class LongTable<V> {
    private static final int FIRST_CAPACITY = 256;
    /** 2 to the power of 64, divided by the golden ratio: spreads addresses, which differ in few bits. */
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    /**
     * Hash table of the entries; a value that is null marks a free place. An entry whose place is taken is in the next
     * free place after it. At most half of the places are taken.
     */
    private long[] keys = new long[FIRST_CAPACITY];

    private @Nullable V[] values = newArray(FIRST_CAPACITY);
    private int count;

    @SuppressWarnings("unchecked")
    private static <V> @Nullable V[] newArray(int length) {
        return (V[]) new Object[length];
    }

    private int place(long key) {
        return (int) (key * SPREAD >>> 32) & (keys.length - 1);
    }

    /** Returns the place of a key, or the free place for it. */
    private int find(long key) {
        int at = place(key);
        while (values[at] != null && keys[at] != key) {
            at = (at + 1) & (keys.length - 1);
        }
        return at;
    }

    @Nullable
    V get(long key) {
        return values[find(key)];
    }

    /** Returns the value that is replaced, or null. */
    @Nullable
    V put(long key, V value) {
        if (2 * (count + 1) > keys.length) {
            grow();
        }
        int at = find(key);
        V before = values[at];
        keys[at] = key;
        values[at] = value;
        count += before == null ? 1 : 0;
        return before;
    }

    private void grow() {
        long[] oldKeys = keys;
        @Nullable V[] oldValues = values;
        long[] newKeys = new long[2 * oldKeys.length];
        values = newArray(newKeys.length);
        keys = newKeys;
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != null) {
                int at = find(oldKeys[i]);
                keys[at] = oldKeys[i];
                values[at] = oldValues[i];
            }
        }
    }

    /** Returns the value that is removed, or null. */
    @Nullable
    V remove(long key) {
        int at = find(key);
        V removed = values[at];
        if (removed == null) {
            return null;
        }
        values[at] = null;
        count--;
        // The entries after it may be there because its place was taken.
        for (int next = (at + 1) & (keys.length - 1); values[next] != null; next = (next + 1) & (keys.length - 1)) {
            V moved = values[next];
            values[next] = null;
            int to = find(keys[next]);
            keys[to] = keys[next];
            values[to] = moved;
        }
        return removed;
    }

    /** Adds all values to a list, in no order. */
    void addValuesTo(List<? super V> list) {
        for (int i = 0; i < values.length; i++) {
            V value = values[i];
            if (value != null) {
                list.add(value);
            }
        }
    }

    void clear() {
        keys = new long[FIRST_CAPACITY];
        values = newArray(FIRST_CAPACITY);
        count = 0;
    }
}
