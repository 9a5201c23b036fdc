package mayfly.report.tree;

/** Pairs of numbers to the number each was given. Open addressing; never forgets. */
final class PairTable {
    private long[] keys = new long[1 << 10];
    /** One more than the number, so that 0 is an empty slot. */
    private int[] numbers = new int[1 << 10];
    private int count;

    /** The pair's number, or -1. */
    int get(int first, int second) {
        long key = key(first, second);
        int mask = keys.length - 1;
        for (int at = slot(key) & mask; numbers[at] != 0; at = at + 1 & mask) {
            if (keys[at] == key) {
                return numbers[at] - 1;
            }
        }
        return -1;
    }

    /** Adds a pair that is not there. */
    void put(int first, int second, int number) {
        if (++count * 2 > keys.length) {
            grow();
        }
        place(key(first, second), number + 1);
    }

    private void place(long key, int number) {
        int mask = keys.length - 1;
        int at = slot(key) & mask;
        while (numbers[at] != 0) {
            at = at + 1 & mask;
        }
        keys[at] = key;
        numbers[at] = number;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldNumbers = numbers;
        keys = new long[oldKeys.length * 2];
        numbers = new int[oldNumbers.length * 2];
        for (int at = 0; at < oldKeys.length; at++) {
            if (oldNumbers[at] != 0) {
                place(oldKeys[at], oldNumbers[at]);
            }
        }
    }

    private static long key(int first, int second) {
        return (long) first << 32 | second & 0xFFFFFFFFL;
    }

    private static int slot(long key) {
        long hash = key * 0x9E3779B97F4A7C15L;
        return (int) (hash >>> 32);
    }
}
