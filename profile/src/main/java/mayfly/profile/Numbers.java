package mayfly.profile;

import java.util.Arrays;

/** Columns that grow. */
final class Numbers {
    static final class Ints {
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

        int[] toArray() {
            return Arrays.copyOf(items, count);
        }
    }

    static final class Longs {
        private long[] items = new long[256];
        private int count;

        void add(long item) {
            if (count == items.length) {
                items = Arrays.copyOf(items, count * 2);
            }
            items[count++] = item;
        }

        int size() {
            return count;
        }

        long[] toArray() {
            return Arrays.copyOf(items, count);
        }
    }

    private Numbers() {}
}
