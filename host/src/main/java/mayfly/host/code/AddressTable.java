package mayfly.host.code;

import org.jspecify.annotations.Nullable;

/**
 * A list of addresses in ascending order, each with a number and a value, in arrays. The owner synchronizes its use.
 *
 * <p>Code is added and removed far less often than a table of this size is copied: some microseconds for the code of a
 * large program.
 */
final class AddressTable<V> {
    private static final int FIRST_CAPACITY = 256;

    private long[] addresses = new long[FIRST_CAPACITY];
    private long[] sequences = new long[FIRST_CAPACITY];
    private @Nullable V[] values = newArray(FIRST_CAPACITY);
    private int count;

    @SuppressWarnings("unchecked")
    private static <V> @Nullable V[] newArray(int length) {
        return (V[]) new Object[length];
    }

    /** Returns the index of the first entry whose address is not below this one; the number of entries if none is. */
    int firstFrom(long address) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (addresses[middle] < address) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns the index of the entry with this address; -1 if there is none. */
    int find(long address) {
        int at = firstFrom(address);
        return at < count && addresses[at] == address ? at : -1;
    }

    long sequence(int index) {
        return sequences[index];
    }

    @Nullable
    V value(int index) {
        return values[index];
    }

    /** Replaces the entries of a range, which may be empty, by one whose address is between those of its neighbours. */
    void replace(int from, int to, long address, long sequence, @Nullable V value) {
        if (count - (to - from) == addresses.length) {
            grow();
        }
        move(to, from + 1);
        addresses[from] = address;
        sequences[from] = sequence;
        values[from] = value;
    }

    void remove(int from, int to) {
        move(to, from);
    }

    /** Moves the entries from an index on to another one, which becomes that of the first of them. */
    private void move(int from, int to) {
        int moved = count - from;
        System.arraycopy(addresses, from, addresses, to, moved);
        System.arraycopy(sequences, from, sequences, to, moved);
        System.arraycopy(values, from, values, to, moved);
        for (int i = to + moved; i < count; i++) {
            values[i] = null;
        }
        count = to + moved;
    }

    private void grow() {
        long[] newAddresses = new long[2 * count];
        long[] newSequences = new long[2 * count];
        @Nullable V[] newValues = newArray(2 * count);
        System.arraycopy(addresses, 0, newAddresses, 0, count);
        System.arraycopy(sequences, 0, newSequences, 0, count);
        System.arraycopy(values, 0, newValues, 0, count);
        addresses = newAddresses;
        sequences = newSequences;
        values = newValues;
    }

    void clear() {
        addresses = new long[FIRST_CAPACITY];
        sequences = new long[FIRST_CAPACITY];
        values = newArray(FIRST_CAPACITY);
        count = 0;
    }
}
