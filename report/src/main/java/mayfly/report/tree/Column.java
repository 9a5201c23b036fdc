package mayfly.report.tree;

import java.util.Arrays;

/** A list of int that grows. */
final class Column {
    private int[] items = new int[256];
    private int count;

    void add(int item) {
        if (count == items.length) {
            items = Arrays.copyOf(items, count * 2);
        }
        items[count++] = item;
    }

    int get(int index) {
        return items[index];
    }

    int size() {
        return count;
    }

    void clear() {
        count = 0;
    }
}
