package mayfly.hotspot.heap;

import java.util.List;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * Resolves a reference to an object as the collector's own load barrier does: an object may have been copied while
 * references to its old location still exist.
 */
sealed interface LoadBarrier {

    /** For collectors that move objects only in stop-the-world pauses. */
    LoadBarrier NONE = new None();

    /**
     * Returns the current location of the object that a reference, as stored in memory, refers to; 0 for null.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    long resolve(long reference) throws MemoryFault, BadMetadata;

    /**
     * Returns the object that a reference on a stack refers to; 0 for null. Generational ZGC has addresses there, which
     * are those before a relocation until the thread runs on; the other collectors have the same as in the heap.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    default long resolveLocal(long reference) throws MemoryFault, BadMetadata {
        return resolve(reference);
    }

    /**
     * Returns true if it cannot be known from a reference on a stack whether it is that before or after a relocation.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    default boolean isAmbiguous(long reference) throws MemoryFault, BadMetadata {
        return false;
    }

    /** Serial, Parallel, G1, Epsilon. */
    record None() implements LoadBarrier {
        @Override
        public long resolve(long reference) {
            return reference;
        }
    }

    /**
     * Shenandoah: the mark word of an object that was copied contains the copy's address, see shenandoahForwarding.hpp.
     */
    record ForwardedMark(Memory memory) implements LoadBarrier {
        static final int LOCK_MASK = 3;
        static final int MARKED = 3;

        @Override
        public long resolve(long reference) throws MemoryFault {
            if (reference == 0) {
                return 0;
            }
            long mark = memory.readLong(reference);
            long copy = mark & ~LOCK_MASK;
            return (mark & LOCK_MASK) == MARKED && copy != 0 ? copy : reference;
        }
    }

    /**
     * ZGC with one generation: the colour, which is some bits above the address, records the phase in which a reference
     * was last healed. The heap is mapped once for each colour.
     */
    record ColouredAddress(Memory memory, long goodMask, long badMask, long offsetMask, Forwarding forwarding)
            implements LoadBarrier {
        @Override
        public long resolve(long reference) throws MemoryFault, BadMetadata {
            if (reference == 0 || (reference & memory.readLong(badMask)) == 0) {
                return reference;
            }
            return forwarding.to(reference & offsetMask) | memory.readLong(goodMask);
        }
    }

    /**
     * ZGC with two generations: the low 16 bits are the colour. Exactly one of four of these bits is set; it records
     * the relocations up to which the reference is healed. See zAddress.hpp.
     *
     * @param shifts the number of bits below the address, for each of the four bits; it depends on the CPU
     */
    record ColouredPointer(
            Memory memory, List<Integer> shifts, long loadBadMask, long offsetMask, Forwarding young, Forwarding old)
            implements LoadBarrier {
        private static final int COLOUR_BITS = 16;
        private static final int REMAPPED_SHIFT = 12;
        private static final int REMAPPED_BITS = 0xf;
        /** The bits of a colour index: the parities of the young and the old generation's relocation counts. */
        private static final int YOUNG = 1;

        private static final int OLD = 2;
        private static final long REMEMBERED = 3L << 4;

        @Override
        public long resolve(long reference) throws MemoryFault, BadMetadata {
            if (reference >>> COLOUR_BITS == 0) {
                return 0;
            }
            int seen = index(reference);
            // The good colour is the one whose bit is not set in the mask of bad colours.
            int good = index(~memory.readLong(loadBadMask));
            long address = reference >>> shifts.get(seen);
            if (seen == good) {
                return address;
            }
            long offset = address & offsetMask;
            return address - offset + generation(reference, seen ^ good, offset).to(offset);
        }

        @Override
        public long resolveLocal(long reference) {
            return reference;
        }

        @Override
        public boolean isAmbiguous(long reference) throws MemoryFault, BadMetadata {
            return young.covers(reference & offsetMask) || old.covers(reference & offsetMask);
        }

        /** Returns the generation whose relocations the reference has missed. */
        private Forwarding generation(long reference, int missed, long offset) throws MemoryFault, BadMetadata {
            if (missed == YOUNG) {
                return young;
            }
            if (missed == OLD || (reference & REMEMBERED) == REMEMBERED) {
                return old;
            }
            return young.covers(offset) ? young : old;
        }

        private static int index(long bits) throws BadMetadata {
            int remapped = (int) (bits >>> REMAPPED_SHIFT) & REMAPPED_BITS;
            if (Integer.bitCount(remapped) != 1) {
                throw new BadMetadata("a reference of the colour " + remapped);
            }
            return Integer.numberOfTrailingZeros(remapped);
        }
    }

    /** Maps old to new locations of objects in the pages that ZGC is evacuating or has evacuated. */
    interface Forwarding {
        /**
         * Returns true if the page at this heap offset is being evacuated.
         *
         * @throws MemoryFault if the target's memory cannot be read
         * @throws BadMetadata if the data read is inconsistent
         */
        boolean covers(long offset) throws MemoryFault, BadMetadata;

        /**
         * Returns the current heap offset of an object; the same offset if it has not moved.
         *
         * @throws MemoryFault if the target's memory cannot be read
         * @throws BadMetadata if the data read is inconsistent
         */
        long to(long offset) throws MemoryFault, BadMetadata;
    }
}
