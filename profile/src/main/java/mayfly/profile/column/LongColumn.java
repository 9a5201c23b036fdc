package mayfly.profile.column;

import java.util.Arrays;

/** A growable list of long, in pieces as in {@link IntColumn}. */
public final class LongColumn {
    private static final int SHIFT = 12;
    private static final int PIECE = 1 << SHIFT;

    private long[][] pieces = new long[16][];
    private int count;

    /** Creates a column without items. */
    public LongColumn() {}

    /** Creates a column of zeros. */
    public LongColumn(int size) {
        pieces = new long[(size >>> SHIFT) + 1][PIECE];
        count = size;
    }

    /** Appends an item. */
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

    /** Returns the item at an index below {@link #size}. */
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

    /** Returns the number of items. */
    public int size() {
        return count;
    }
}
