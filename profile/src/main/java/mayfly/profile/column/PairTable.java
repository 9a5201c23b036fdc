package mayfly.profile.column;

/** Assigns a number to each distinct pair of numbers: 0, 1, … in the order of first use. Pairs are never removed. */
public final class PairTable {
    private final IntColumn firsts = new IntColumn();
    private final IntColumn seconds = new IntColumn();
    /** Hash table with open addressing, at most seven tenths full: the pair's number + 1, 0 if the slot is empty. */
    private int[] slots = new int[1 << 10];

    /**
     * Returns the pair's number. Adds the pair if it has none.
     *
     * @throws IllegalStateException after {@link #seal}
     */
    public int number(int first, int second) {
        if (slots.length == 0) {
            throw new IllegalStateException("the table is sealed");
        }
        int at = slot(first, second);
        while (slots[at] != 0) {
            int known = slots[at] - 1;
            if (seconds.get(known) == second && firsts.get(known) == first) {
                return known;
            }
            at = at + 1 & slots.length - 1;
        }
        int number = firsts.size();
        firsts.add(first);
        seconds.add(second);
        slots[at] = number + 1;
        if (number + 1 > slots.length / 10 * 7) {
            grow();
        }
        return number;
    }

    /** Returns the pair's number, -1 if it has none. */
    public int find(int first, int second) {
        for (int at = slot(first, second); slots[at] != 0; at = at + 1 & slots.length - 1) {
            int known = slots[at] - 1;
            if (seconds.get(known) == second && firsts.get(known) == first) {
                return known;
            }
        }
        return -1;
    }

    private void grow() {
        slots = new int[slots.length * 2];
        for (int number = 0; number < firsts.size(); number++) {
            int at = slot(firsts.get(number), seconds.get(number));
            while (slots[at] != 0) {
                at = at + 1 & slots.length - 1;
            }
            slots[at] = number + 1;
        }
    }

    private int slot(int first, int second) {
        long hash = ((long) first << 32 | second & 0xFFFFFFFFL) * 0x9E3779B97F4A7C15L;
        return (int) (hash >>> 32) & slots.length - 1;
    }

    /**
     * Releases the memory that only {@link #number} and {@link #find} need. Neither method may be called afterwards.
     */
    public void seal() {
        slots = new int[0];
    }

    /** Returns the number of pairs. */
    public int size() {
        return firsts.size();
    }

    /** Returns the first half of a pair. */
    public int first(int number) {
        return firsts.get(number);
    }

    /** Returns the second half of a pair. */
    public int second(int number) {
        return seconds.get(number);
    }

    /** Returns the first halves of all pairs, by their numbers. */
    public IntColumn firsts() {
        return firsts;
    }

    /** Returns the second halves of all pairs, by their numbers. */
    public IntColumn seconds() {
        return seconds;
    }
}
