package mayfly.hotspot.heap;

import java.util.List;
import mayfly.hotspot.heap.LoadBarrier.ColouredAddress;
import mayfly.hotspot.heap.LoadBarrier.ColouredPointer;
import mayfly.hotspot.heap.LoadBarrier.Forwarding;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.Unreadable;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmFlags;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.Unread;

/** Chooses the load barrier for a VM's collector, once, from the VM's flags. */
final class LoadBarriers {
    private static final List<VmField> ONE_GENERATION = List.of(
            VmField.COLLECTED_HEAP,
            VmField.X_GLOBALS,
            VmField.X_ADDRESS_GOOD_MASK,
            VmField.X_ADDRESS_BAD_MASK,
            VmField.X_COLLECTED_HEAP_HEAP,
            VmField.X_VIRTUAL_START);
    private static final List<VmField> FORWARDING_TABLE = List.of(
            VmField.X_HEAP_FORWARDING_TABLE,
            VmField.X_FORWARDING_TABLE_MAP,
            VmField.X_GRANULE_MAP,
            VmField.X_FORWARDING_VIRTUAL,
            VmField.X_FORWARDING_SHIFT,
            VmField.X_FORWARDING_ENTRIES,
            VmField.X_ATTACHED_LENGTH);
    private static final List<VmField> PAGE_FORWARDING = List.of(
            VmField.X_ALIGNMENT_SMALL_SHIFT,
            VmField.Z_HEAP_PAGETABLE,
            VmField.Z_PAGETABLE_MAP,
            VmField.Z_ADDRESS_RANGE_MAP,
            VmField.Z_PAGE_TYPE,
            VmField.Z_PAGE_VIRTUAL,
            VmField.Z_PAGE_FORWARDING,
            VmField.Z_FORWARDING_TABLE_TABLE,
            VmField.Z_FORWARDING_TABLE_SIZE);
    private static final List<VmField> TWO_GENERATIONS = List.of(
            VmField.COLLECTED_HEAP,
            VmField.Z_GLOBALS,
            VmField.Z_POINTER_LOAD_BAD_MASK,
            VmField.Z_ADDRESS_OFFSET_MASK,
            VmField.Z_COLLECTED_HEAP_HEAP,
            VmField.Z_HEAP_PAGE_ALLOCATOR,
            VmField.Z_HEAP_PAGE_TABLE,
            VmField.Z_FORWARDING_TABLE_MAP,
            VmField.Z_GRANULE_MAP,
            VmField.Z_FORWARDING_VIRTUAL,
            VmField.Z_VIRTUAL_START,
            VmField.Z_FORWARDING_SHIFT,
            VmField.Z_FORWARDING_ENTRIES,
            VmField.Z_ATTACHED_LENGTH);
    private static final int MAX_ALIGNMENT_SHIFT = 8;
    /** ZGenerationId. */
    private static final int YOUNG = 0;

    private static final int OLD = 1;

    private LoadBarriers() {}

    /** @param referenceShifts the shifts of {@link ColouredPointer} */
    static LoadBarrier of(VmFlags flags, Memory memory, VmLayout layout, List<Integer> referenceShifts)
            throws MemoryFault, BadMetadata, Unreadable {
        if (flags.isSet("UseShenandoahGC")) {
            return new LoadBarrier.ForwardedMark(memory);
        }
        if (!flags.isSet("UseZGC")) {
            return LoadBarrier.NONE;
        }
        // Only JDK 21 to 23 have the choice; other releases have no flag of this name.
        boolean generational = layout.has(VmField.Z_POINTER_LOAD_BAD_MASK) && flags.isSet("ZGenerational");
        return generational ? twoGenerations(memory, layout, referenceShifts) : oneGeneration(memory, layout);
    }

    private static LoadBarrier oneGeneration(Memory memory, VmLayout layout)
            throws MemoryFault, BadMetadata, Unreadable {
        require(layout, ONE_GENERATION);
        long globals = memory.readLong(layout.at(VmField.X_GLOBALS));
        long heap = memory.readLong(layout.at(VmField.COLLECTED_HEAP)) + layout.at(VmField.X_COLLECTED_HEAP_HEAP);
        long offsetMask = layout.has(VmField.X_ADDRESS_OFFSET_MASK)
                ? memory.readLong(memory.readLong(globals + layout.at(VmField.X_ADDRESS_OFFSET_MASK)))
                : layout.zAddressOffsetMask;
        if (Long.bitCount(offsetMask + 1) != 1) {
            throw new BadMetadata("ZAddressOffsetMask of 0x" + Long.toHexString(offsetMask));
        }
        return new ColouredAddress(
                memory,
                memory.readLong(globals + layout.at(VmField.X_ADDRESS_GOOD_MASK)),
                memory.readLong(globals + layout.at(VmField.X_ADDRESS_BAD_MASK)),
                offsetMask,
                forwarding(memory, layout, globals, heap));
    }

    private static Forwarding forwarding(Memory memory, VmLayout layout, long globals, long heap)
            throws MemoryFault, BadMetadata, Unreadable {
        if (layout.has(VmField.X_HEAP_FORWARDING_TABLE)) {
            require(layout, FORWARDING_TABLE);
            return new ZForwardingTable(
                    memory,
                    heap
                            + layout.at(VmField.X_HEAP_FORWARDING_TABLE)
                            + layout.at(VmField.X_FORWARDING_TABLE_MAP)
                            + layout.at(VmField.X_GRANULE_MAP),
                    ZForwardingTable.Shape.x(layout));
        }
        require(layout, PAGE_FORWARDING);
        int shift = memory.readInt(memory.readLong(globals + layout.at(VmField.X_ALIGNMENT_SMALL_SHIFT)));
        if (shift < 0 || shift > MAX_ALIGNMENT_SHIFT) {
            throw new BadMetadata("objects aligned to 2^" + shift);
        }
        return new ZPageForwarding(memory, layout, heap, shift);
    }

    private static LoadBarrier twoGenerations(Memory memory, VmLayout layout, List<Integer> referenceShifts)
            throws MemoryFault, BadMetadata, Unreadable {
        require(layout, TWO_GENERATIONS);
        long globals = memory.readLong(layout.at(VmField.Z_GLOBALS));
        long offsetMask = memory.readLong(memory.readLong(globals + layout.at(VmField.Z_ADDRESS_OFFSET_MASK)));
        long heap = memory.readLong(layout.at(VmField.COLLECTED_HEAP)) + layout.at(VmField.Z_COLLECTED_HEAP_HEAP);
        return new ColouredPointer(
                memory,
                referenceShifts,
                memory.readLong(globals + layout.at(VmField.Z_POINTER_LOAD_BAD_MASK)),
                offsetMask,
                generation(memory, layout, heap, YOUNG),
                generation(memory, layout, heap, OLD));
    }

    /**
     * Finds the forwarding table of one generation. The VM does not describe ZGeneration. It lies in the ZHeap, and
     * contains its id, then the addresses of the ZHeap's allocator and page table, then the forwarding table: a pattern
     * that occurs once for each generation.
     */
    private static Forwarding generation(Memory memory, VmLayout layout, long heap, int id)
            throws MemoryFault, BadMetadata {
        long[] words = new long[layout.zHeapSize / Long.BYTES];
        byte[] bytes = new byte[words.length * Long.BYTES];
        memory.read(heap, bytes, 0, bytes.length);
        java.nio.ByteBuffer.wrap(bytes)
                .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(words);
        long allocator = heap + layout.at(VmField.Z_HEAP_PAGE_ALLOCATOR);
        long pageTable = heap + layout.at(VmField.Z_HEAP_PAGE_TABLE);
        long found = 0;
        for (int i = 1; i + 2 < words.length; i++) {
            if (words[i] == allocator && words[i + 1] == pageTable && (words[i - 1] & 0xff) == id) {
                if (found != 0) {
                    throw new BadMetadata("more than one ZGeneration of the id " + id);
                }
                found = heap + (i + 2L) * Long.BYTES;
            }
        }
        if (found == 0) {
            throw new BadMetadata("no ZGeneration of the id " + id);
        }
        return new ZForwardingTable(
                memory,
                found + layout.at(VmField.Z_FORWARDING_TABLE_MAP) + layout.at(VmField.Z_GRANULE_MAP),
                ZForwardingTable.Shape.z(layout));
    }

    private static void require(VmLayout layout, List<VmField> fields) throws Unreadable {
        if (!layout.hasAll(fields)) {
            throw new Unreadable(Unread.NOT_DESCRIBED);
        }
    }
}
