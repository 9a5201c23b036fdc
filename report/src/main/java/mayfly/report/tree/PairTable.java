package mayfly.report.tree;

import java.util.Arrays;

/** Numbers pairs of numbers: 0, 1, … in the order of first use. Never forgets. */
final class PairTable {
    private int[] firsts = new int[1 << 9];
    private int[] seconds = new int[1 << 9];
    private int count;
    /** Open addressing, at most half full: one more than a pair's number, 0 if the slot is empty. */
    private int[] slots = new int[1 << 10];

    /** The pair's number, which may be new. */
    int number(int first, int second) {
        int at = slot(first, second);
        while (slots[at] != 0) {
            int known = slots[at] - 1;
            if (firsts[known] == first && seconds[known] == second) {
                return known;
            }
            at = at + 1 & slots.length - 1;
        }
        if (count == firsts.length) {
            grow();
            return number(first, second);
        }
        firsts[count] = first;
        seconds[count] = second;
        slots[at] = ++count;
        return count - 1;
    }

    private void grow() {
        firsts = Arrays.copyOf(firsts, count * 2);
        seconds = Arrays.copyOf(seconds, count * 2);
        slots = new int[count * 4];
        for (int number = 0; number < count; number++) {
            int at = slot(firsts[number], seconds[number]);
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

    int size() {
        return count;
    }

    int first(int number) {
        return firsts[number];
    }

    int second(int number) {
        return seconds[number];
    }
}
