package mayfly.hotspot.heap;

import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * The forwarding of JDK 11: each page that is being evacuated has its own table, and its entry in the page table is
 * marked. See zPageTableEntry.hpp and zForwardingTableEntry.hpp in JDK 11.
 */
final class ZPageForwarding implements LoadBarrier.Forwarding {
    private static final int PAGE_SHIFT = 21;
    private static final long RELOCATING = 1;
    private static final long EMPTY = -1;
    private static final int FROM_SHIFT = 42;
    private static final long MAX_OFFSET = 1L << 42;
    private static final long MAX_ENTRIES = 8 << 20;
    /** The type of a small page. Threads and their names are in small pages. */
    private static final int SMALL = 0;

    private final Memory memory;
    private final VmLayout layout;
    private final long heap;
    private final int alignmentShift;

    ZPageForwarding(Memory memory, VmLayout layout, long heap, int alignmentShift) {
        this.memory = memory;
        this.layout = layout;
        this.heap = heap;
        this.alignmentShift = alignmentShift;
    }

    @Override
    public boolean covers(long offset) throws MemoryFault, BadMetadata {
        return (entry(offset) & RELOCATING) != 0;
    }

    @Override
    public long to(long offset) throws MemoryFault, BadMetadata {
        long entry = entry(offset);
        if ((entry & RELOCATING) == 0) {
            return offset;
        }
        long page = entry & ~RELOCATING;
        long forwarding = page + layout.at(VmField.Z_PAGE_FORWARDING);
        long table = memory.readLong(forwarding + layout.at(VmField.Z_FORWARDING_TABLE_TABLE));
        long size = memory.readLong(forwarding + layout.at(VmField.Z_FORWARDING_TABLE_SIZE));
        if (table == 0) {
            return offset;
        }
        long from =
                offset - memory.readLong(page + layout.at(VmField.Z_PAGE_VIRTUAL) + layout.at(VmField.X_VIRTUAL_START));
        if (memory.readByte(page + layout.at(VmField.Z_PAGE_TYPE)) != SMALL
                || from < 0
                || size <= 0
                || size > MAX_ENTRIES
                || Long.bitCount(size) != 1) {
            throw new BadMetadata("a page's forwarding of " + size + " entries");
        }
        long index = from >>> alignmentShift;
        long cursor = ZForwardingTable.hash((int) index);
        for (long i = 0; i < size; i++, cursor++) {
            long found = memory.readLong(table + 8 * (cursor & size - 1));
            if (found == EMPTY) {
                return offset;
            }
            if (found >>> FROM_SHIFT == index) {
                return found & MAX_OFFSET - 1;
            }
        }
        throw new BadMetadata("a page's forwarding table without an empty entry");
    }

    private long entry(long offset) throws MemoryFault, BadMetadata {
        if (offset < 0 || offset >= MAX_OFFSET) {
            throw new BadMetadata("an offset of 0x" + Long.toHexString(offset));
        }
        long map = memory.readLong(heap
                + layout.at(VmField.Z_HEAP_PAGETABLE)
                + layout.at(VmField.Z_PAGETABLE_MAP)
                + layout.at(VmField.Z_ADDRESS_RANGE_MAP));
        return memory.readLong(map + 8 * (offset >>> PAGE_SHIFT));
    }
}
