package mayfly.hotspot.heap;

import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * ZGC's table of the pages being evacuated: a pointer for each granule of the heap, to a hash table of that page's
 * objects. See zForwarding.hpp; since JDK 13.
 */
final class ZForwardingTable implements LoadBarrier.Forwarding {
    /** ZGranuleSizeShift. */
    private static final int GRANULE_SHIFT = 21;
    /** Upper bound on the entries: twice the objects of the smallest size that a page of 32 MiB can contain. */
    private static final long MAX_ENTRIES = 8 << 20;

    private static final long MAX_OFFSET = 1L << 44;
    private static final int MAX_SHIFT = 22;
    private static final int FROM_SHIFT = 46;
    private static final long TO_MASK = (1L << 45) - 1;

    /**
     * The offsets of the members.
     *
     * @param entries the offset of the first entry from the forwarding
     */
    record Shape(long start, long alignmentShift, long length, int entries) {
        static Shape x(VmLayout layout) {
            return new Shape(
                    layout.at(VmField.X_FORWARDING_VIRTUAL) + layout.at(VmField.X_VIRTUAL_START),
                    layout.at(VmField.X_FORWARDING_SHIFT),
                    layout.at(VmField.X_FORWARDING_ENTRIES) + layout.at(VmField.X_ATTACHED_LENGTH),
                    layout.xForwardingSize + 7 & -8);
        }

        static Shape z(VmLayout layout) {
            return new Shape(
                    layout.at(VmField.Z_FORWARDING_VIRTUAL) + layout.at(VmField.Z_VIRTUAL_START),
                    layout.at(VmField.Z_FORWARDING_SHIFT),
                    layout.at(VmField.Z_FORWARDING_ENTRIES) + layout.at(VmField.Z_ATTACHED_LENGTH),
                    layout.zForwardingSize + 7 & -8);
        }
    }

    private final Memory memory;
    /** The address of the pointer to the array of pointers. */
    private final long granules;

    private final Shape shape;

    ZForwardingTable(Memory memory, long granules, Shape shape) {
        this.memory = memory;
        this.granules = granules;
        this.shape = shape;
    }

    @Override
    public boolean covers(long offset) throws MemoryFault, BadMetadata {
        return forwarding(offset) != 0;
    }

    @Override
    public long to(long offset) throws MemoryFault, BadMetadata {
        long forwarding = forwarding(offset);
        if (forwarding == 0) {
            return offset;
        }
        long shift = memory.readLong(forwarding + shape.alignmentShift);
        long from = offset - memory.readLong(forwarding + shape.start);
        long length = memory.readLong(forwarding + shape.length);
        if (shift < 0
                || shift > MAX_SHIFT
                || from < 0
                || length <= 0
                || length > MAX_ENTRIES
                || Long.bitCount(length) != 1) {
            throw new BadMetadata("a forwarding of " + length + " entries");
        }
        long index = from >>> shift;
        long cursor = hash((int) index);
        for (long i = 0; i < length; i++, cursor++) {
            long entry = memory.readLong(forwarding + shape.entries + 8 * (cursor & length - 1));
            if ((entry & 1) == 0) {
                return offset;
            }
            if (entry >>> FROM_SHIFT == index) {
                return entry >>> 1 & TO_MASK;
            }
        }
        throw new BadMetadata("a forwarding table without an empty entry");
    }

    private long forwarding(long offset) throws MemoryFault, BadMetadata {
        if (offset < 0 || offset >= MAX_OFFSET) {
            throw new BadMetadata("an offset of 0x" + Long.toHexString(offset));
        }
        return memory.readLong(memory.readLong(granules) + 8 * (offset >>> GRANULE_SHIFT));
    }

    /** ZHash::uint32_to_uint32, unsigned. */
    static long hash(int key) {
        int hash = ~key + (key << 15);
        hash ^= hash >>> 12;
        hash += hash << 2;
        hash ^= hash >>> 4;
        hash *= 2057;
        hash ^= hash >>> 16;
        return Integer.toUnsignedLong(hash);
    }
}
