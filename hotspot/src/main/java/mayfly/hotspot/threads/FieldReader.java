package mayfly.hotspot.threads;

import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/** Reads the same words of many structures in a few system calls. */
public final class FieldReader {
    /** The number of structures that are read together. */
    private static final int BATCH = 256;

    private final Memory memory;
    private final long[] offsets;

    /** Receives the words of a structure. */
    public interface Each {
        /**
         * Reports the words of a structure.
         *
         * @param index its index among the structures
         * @param words contains its words, in the order of the offsets
         * @param from the index of the first one
         */
        void words(int index, long[] words, int from);
    }

    /**
     * Creates a reader.
     *
     * @param memory reads the target without a cache
     * @param offsets the offsets of the words, ascending: neighbours are read as one range
     */
    public FieldReader(Memory memory, long... offsets) {
        this.memory = memory;
        this.offsets = offsets.clone();
    }

    /** Reads the words of each structure. Those of a structure that cannot be read are not reported. */
    public void read(long[] structures, Each each) {
        for (int from = 0; from < structures.length; from += BATCH) {
            read(structures, from, Math.min(structures.length, from + BATCH), each);
        }
    }

    private void read(long[] structures, int from, int to, Each each) {
        int count = (to - from) * offsets.length;
        long[] addresses = new long[count];
        for (int i = 0; i < count; i++) {
            addresses[i] = structures[from + i / offsets.length] + offsets[i % offsets.length];
        }
        long[] words = new long[count];
        try {
            memory.gather(addresses, count, words);
        } catch (MemoryFault e) {
            if (to - from > 1) { // one of them has just been freed, and is found by halves
                int middle = from + to >>> 1;
                read(structures, from, middle, each);
                read(structures, middle, to, each);
            }
            return;
        }
        for (int i = from; i < to; i++) {
            each.words(i, words, (i - from) * offsets.length);
        }
    }
}
