package mayfly.profile.column;

import java.util.Arrays;

/**
 * A growable list of int. It consists of pieces, so that growth copies only the list of pieces, and never needs twice
 * the memory of the items.
 */
public final class IntColumn {
    private static final int SHIFT = 12;
    private static final int PIECE = 1 << SHIFT;

    private int[][] pieces = new int[16][];
    private int count;

    /** Appends an item. */
    public void add(int item) {
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
            pieces[piece] = new int[PIECE];
        }
    }

    /** Returns the item at an index below {@link #size}. */
    public int get(int index) {
        return pieces[index >>> SHIFT][index & PIECE - 1];
    }

    /** Replaces an item. */
    public void set(int index, int item) {
        pieces[index >>> SHIFT][index & PIECE - 1] = item;
    }

    /** Returns the number of items. */
    public int size() {
        return count;
    }

    /** Removes all items and retains their memory for later ones. */
    public void clear() {
        count = 0;
    }
}
