package mayfly.hotspot.frames;

import mayfly.hotspot.tables.BadMetadata;

/**
 * A copy of the frames of an unmounted virtual thread in one stack chunk, see stackChunkOop.hpp in HotSpot. A position
 * is the number of a word in the chunk's stack. Addresses within the stack are stored as distances in words.
 */
public final class FrozenFrames {
    private final long[] words;
    private final int first;
    private final int sp;
    private final int end;

    /**
     * @param words the words of the chunk from a position on
     * @param first that position
     * @param sp the position of the stack pointer of the leaf frame
     * @param end the position after the last frame
     */
    public FrozenFrames(long[] words, int first, int sp, int end) {
        this.words = words;
        this.first = first;
        this.sp = sp;
        this.end = end;
    }

    /** Returns the position of the stack pointer of the leaf frame. */
    public int sp() {
        return sp;
    }

    /** Returns the position after the last frame. */
    public int end() {
        return end;
    }

    /**
     * Returns the word at a position.
     *
     * @throws BadMetadata if the copy does not contain it
     */
    public long word(int position) throws BadMetadata {
        int at = position - first;
        if (at < 0 || at >= words.length) {
            throw new BadMetadata("a frozen frame outside its chunk");
        }
        return words[at];
    }

    /**
     * Returns the position to which the distance at a position leads.
     *
     * @param from the position from which the distance counts
     * @param at the position of the distance
     * @throws BadMetadata if the copy does not contain it, or if it leads out of any chunk
     */
    public int position(int from, int at) throws BadMetadata {
        long position = from + word(at);
        if (position < 0 || position > Integer.MAX_VALUE) {
            throw new BadMetadata("a distance of " + word(at) + " words in a frozen frame");
        }
        return (int) position;
    }
}
