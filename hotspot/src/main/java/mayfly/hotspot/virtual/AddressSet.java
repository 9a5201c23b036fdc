package mayfly.hotspot.virtual;

import java.util.Arrays;

/** A set of addresses other than 0, in the order in which they were added. */
final class AddressSet {
    private long[] inOrder = new long[64];
    private int size;
    /** A hash table, at most half full; 0 in an empty slot. */
    private long[] table = new long[128];

    /** Adds an address. Returns false if the set contains it already. */
    boolean add(long address) {
        int slot = slot(address);
        if (table[slot] == address) {
            return false;
        }
        table[slot] = address;
        if (size == inOrder.length) {
            inOrder = Arrays.copyOf(inOrder, 2 * size);
            grow();
        }
        inOrder[size++] = address;
        return true;
    }

    int size() {
        return size;
    }

    /** Returns the address that was added at a position, from 0. */
    long get(int at) {
        return inOrder[at];
    }

    private void grow() {
        long[] old = table;
        table = new long[old.length * 2];
        for (long address : old) {
            if (address != 0) {
                table[slot(address)] = address;
            }
        }
    }

    /** Returns the slot of an address, or the empty one in which it belongs. */
    private int slot(long address) {
        int mask = table.length - 1;
        int slot = (int) (address * 0x9E3779B97F4A7C15L >>> 40) & mask;
        while (table[slot] != 0 && table[slot] != address) {
            slot = slot + 1 & mask;
        }
        return slot;
    }
}
