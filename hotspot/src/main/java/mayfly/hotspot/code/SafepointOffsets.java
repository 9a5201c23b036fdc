package mayfly.hotspot.code;

import java.util.Arrays;
import java.util.List;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * The locations in an nmethod that have debug information regardless of the VM's settings: its oop maps, which are
 * those of calls and polls. An instruction whose fault raises an exception leads to such a call. See oopMap.hpp and
 * exceptionHandlerTable.hpp.
 *
 * @param known true if the oop maps could be read
 * @param oopMaps offsets from the start of the code, ascending
 * @param faulting offsets of the instructions that may fault, ascending
 * @param continuing for each of these, the offset at which execution continues after the fault
 */
record SafepointOffsets(boolean known, int[] oopMaps, int[] faulting, int[] continuing) {
    static final List<VmField> OOP_MAPS =
            List.of(VmField.BLOB_OOP_MAPS, VmField.OOP_MAPS_COUNT, VmField.OOP_MAP_PC_OFFSET);
    private static final int[] NONE = {};
    /**
     * Upper bound on the table entries. No method compiled by C2 has this many; larger counts are inconsistent data.
     */
    private static final int MAX_OFFSETS = 1 << 16;

    private static final int MAX_PAIR = 64;
    private static final int WORD = 4;

    /** Reads the tables. A table that is unreadable or invalid counts as empty. */
    static SafepointOffsets read(Nmethod.Tables tables, Memory memory, VmLayout layout) {
        long[] exceptions;
        try {
            exceptions = implicitExceptions(tables.implicitExceptions(), memory);
        } catch (MemoryFault | BadMetadata e) {
            exceptions = new long[0];
        }
        int[] faulting =
                Arrays.stream(exceptions).mapToInt(pair -> (int) (pair >> 32)).toArray();
        int[] continuing =
                Arrays.stream(exceptions).mapToInt(pair -> (int) pair).toArray();
        try {
            return new SafepointOffsets(
                    layout.hasAll(OOP_MAPS), oopMaps(tables.oopMaps(), memory, layout), faulting, continuing);
        } catch (MemoryFault | BadMetadata e) {
            return new SafepointOffsets(false, NONE, faulting, continuing);
        }
    }

    private static int[] oopMaps(long set, Memory memory, VmLayout layout) throws MemoryFault, BadMetadata {
        if (set == 0) {
            return NONE;
        }
        int size = layout.oopMapPairSize;
        int field = layout.offset(VmField.OOP_MAP_PC_OFFSET);
        int count = memory.readInt(set + layout.at(VmField.OOP_MAPS_COUNT));
        if (count < 0 || count > MAX_OFFSETS || size > MAX_PAIR || field < 0 || field > size - WORD) {
            throw new BadMetadata(count + " oop maps of " + size + " bytes");
        }
        byte[] pairs = new byte[count * size];
        memory.read(set + layout.oopMapSetSize, pairs, 0, pairs.length);
        int[] offsets = new int[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = DebugInfo.intAt(pairs, i * size + field);
        }
        Arrays.sort(offsets);
        return offsets;
    }

    /**
     * Returns the sorted pairs of the table: the offset of the instruction in the upper half, the offset at which
     * execution continues in the lower half. The table begins with the number of pairs.
     */
    private static long[] implicitExceptions(long table, Memory memory) throws MemoryFault, BadMetadata {
        int count = table == 0 ? 0 : memory.readInt(table);
        if (count < 0 || count > MAX_OFFSETS) {
            throw new BadMetadata(count + " implicit exceptions");
        }
        byte[] pairs = new byte[count * 2 * WORD];
        memory.read(table + WORD, pairs, 0, pairs.length);
        long[] sorted = new long[count];
        for (int i = 0; i < count; i++) {
            sorted[i] = (long) DebugInfo.intAt(pairs, i * 2 * WORD) << 32
                    | DebugInfo.intAt(pairs, i * 2 * WORD + WORD) & 0xffff_ffffL;
        }
        Arrays.sort(sorted);
        return sorted;
    }

    /** Returns true if there is an oop map at an offset. */
    boolean hasOopMap(int offset) {
        return Arrays.binarySearch(oopMaps, offset) >= 0;
    }

    /**
     * Returns the offset at which execution continues after a fault at an offset, or -1 if that instruction cannot
     * fault.
     */
    int continuing(int offset) {
        int i = Arrays.binarySearch(faulting, offset);
        return i < 0 ? -1 : continuing[i];
    }

    int retainedBytes() {
        return 4 * (oopMaps.length + 2 * faulting.length);
    }
}
