package mayfly.profile;

import java.util.Arrays;

/** A list of long that grows, in pieces as {@link IntColumn} does. */
public final class LongColumn {
    private static final int SHIFT = 12;
    private static final int PIECE = 1 << SHIFT;

    private long[][] pieces = new long[16][];
    private int count;

    /** A column without items. */
    public LongColumn() {}

    /** A column of so many zeros. */
    public LongColumn(int size) {
        pieces = new long[(size >>> SHIFT) + 1][PIECE];
        count = size;
    }

    /** Adds an item behind the last one. */
    public void add(long item) {
        int at = count & PIECE - 1;
        if (at == 0) {
            addPiece();
        }
        pieces[count >>> SHIFT][at] = item;
        count++;
    }

    private void addPiece() {
        int piece = count >>> SHIFT;
        if (piece == pieces.length) {
            pieces = Arrays.copyOf(pieces, piece * 2);
        }
        if (pieces[piece] == null) {
            pieces[piece] = new long[PIECE];
        }
    }

    /** The item at an index below {@link #size}. */
    public long get(int index) {
        return pieces[index >>> SHIFT][index & PIECE - 1];
    }

    /** Replaces an item. */
    public void set(int index, long item) {
        pieces[index >>> SHIFT][index & PIECE - 1] = item;
    }

    /** Adds an amount to an item. */
    public void increase(int index, long amount) {
        pieces[index >>> SHIFT][index & PIECE - 1] += amount;
    }

    /** The number of items. */
    public int size() {
        return count;
    }
}
