package mayfly.profile.column;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A map from program counters to cached data. Open addressing, no boxing: it is queried for every frame of every
 * sample. At {@code limit} entries all entries are removed; callers can compute them again.
 */
public final class PcMap<V> {
    private final int limit;
    private long[] keys = new long[1024];
    private @Nullable Object[] values = new Object[1024];
    private int size;

    public PcMap(int limit) {
        this.limit = limit;
    }

    @SuppressWarnings("unchecked")
    public @Nullable V get(long pc) {
        int mask = keys.length - 1;
        for (int slot = slot(pc, mask); ; slot = slot + 1 & mask) {
            Object value = values[slot];
            if (value == null || keys[slot] == pc) {
                return (V) value;
            }
        }
    }

    /** Associates a value with a program counter. Removes all entries first if the map is at its limit. */
    public void put(long pc, V value) {
        if (size >= limit) {
            clear();
        } else if (size * 2 >= keys.length) {
            grow();
        }
        insert(pc, value);
    }

    public void clear() {
        Arrays.fill(values, null);
        size = 0;
    }

    public int size() {
        return size;
    }

    private void insert(long pc, Object value) {
        int mask = keys.length - 1;
        int slot = slot(pc, mask);
        while (values[slot] != null && keys[slot] != pc) {
            slot = slot + 1 & mask;
        }
        if (values[slot] == null) {
            size++;
        }
        keys[slot] = pc;
        values[slot] = value;
    }

    private void grow() {
        long[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new Object[oldKeys.length * 2];
        size = 0;
        for (int i = 0; i < oldKeys.length; i++) {
            Object value = oldValues[i];
            if (value != null) {
                insert(oldKeys[i], value);
            }
        }
    }

    private static int slot(long pc, int mask) {
        return (int) (pc * 0x9E3779B97F4A7C15L >>> 32) & mask;
    }
}
