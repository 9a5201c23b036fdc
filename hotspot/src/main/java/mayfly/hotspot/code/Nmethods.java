package mayfly.hotspot.code;

import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * Reads nmethods. There are two layouts: up to JDK 22 all tables lie in the blob; since JDK 23 the immutable ones are
 * malloc'ed (JDK-8329332), and since JDK 25 the metadata table too (JDK-8343789).
 */
public final class Nmethods {
    private static final int MAX_TABLE = 32 << 20;

    private final Memory memory;
    private final VmLayout layout;

    public Nmethods(Memory memory, VmLayout layout) {
        this.memory = memory;
        this.layout = layout;
    }

    Nmethod read(
            CodeBlob.Kind kind,
            long address,
            long end,
            long codeBegin,
            long codeEnd,
            String name,
            int frameSize,
            int frameComplete,
            long identity,
            long firstSeen)
            throws MemoryFault, BadMetadata {
        long verifiedEntry = layout.has(VmField.NMETHOD_VERIFIED_ENTRY_POINT)
                ? memory.readLong(address + layout.at(VmField.NMETHOD_VERIFIED_ENTRY_POINT))
                : codeBegin + memory.readShort(address + layout.at(VmField.NMETHOD_VERIFIED_ENTRY_OFFSET));
        int entryBci = memory.readInt(address + layout.at(VmField.NMETHOD_ENTRY_BCI));
        long osrEntry = entryBci == -1 ? 0 : memory.readLong(address + layout.at(VmField.NMETHOD_OSR_ENTRY_POINT));
        int origPcOffset = memory.readInt(address + layout.at(VmField.NMETHOD_ORIG_PC_OFFSET));
        // One byte since JDK 23, an int before. The level fits in the first byte in both.
        int compLevel = memory.readByte(address + layout.at(VmField.NMETHOD_COMP_LEVEL));
        return new Nmethod(
                kind,
                address,
                end,
                codeBegin,
                codeEnd,
                name,
                frameSize,
                frameComplete,
                identity,
                firstSeen,
                memory.readLong(address + layout.at(VmField.NMETHOD_METHOD)),
                compLevel,
                verifiedEntry,
                osrEntry,
                deoptHandler(address, VmField.NMETHOD_DEOPT_HANDLER_BEGIN, VmField.NMETHOD_DEOPT_HANDLER_OFFSET),
                deoptHandler(address, VmField.NMETHOD_DEOPT_MH_HANDLER_BEGIN, VmField.NMETHOD_DEOPT_MH_HANDLER_OFFSET),
                origPcOffset,
                tables(address, end));
    }

    private long deoptHandler(long address, VmField pointer, VmField offset) throws MemoryFault {
        if (layout.has(pointer)) {
            return memory.readLong(address + layout.at(pointer));
        }
        if (!layout.has(offset)) {
            return 0;
        }
        int from = memory.readInt(address + layout.at(offset));
        return from <= 0 ? 0 : address + from;
    }

    private Nmethod.Tables tables(long address, long end) throws MemoryFault, BadMetadata {
        long pcsOffset = memory.readInt(address + layout.at(VmField.NMETHOD_SCOPES_PCS_OFFSET));
        long pcs;
        long pcsEnd;
        long scopes;
        long scopesEnd;
        if (layout.has(VmField.NMETHOD_IMMUTABLE_DATA)) {
            long data = memory.readLong(address + layout.at(VmField.NMETHOD_IMMUTABLE_DATA));
            long scopesOffset = memory.readInt(address + layout.at(VmField.NMETHOD_SCOPES_DATA_OFFSET));
            pcs = data + pcsOffset;
            pcsEnd = data + scopesOffset;
            scopes = pcsEnd;
            scopesEnd = data + memory.readInt(address + layout.at(VmField.NMETHOD_IMMUTABLE_DATA_SIZE));
        } else {
            pcs = address + pcsOffset;
            pcsEnd = address + memory.readInt(address + layout.at(VmField.NMETHOD_DEPENDENCIES_OFFSET));
            scopes = memory.readLong(address + layout.at(VmField.NMETHOD_SCOPES_DATA_BEGIN));
            scopesEnd = pcs;
        }
        long metadata;
        long metadataEnd;
        if (layout.has(VmField.BLOB_MUTABLE_DATA)) {
            long data = memory.readLong(address + layout.at(VmField.BLOB_MUTABLE_DATA));
            metadata = data + memory.readInt(address + layout.at(VmField.BLOB_RELOCATION_SIZE));
            metadataEnd = data + memory.readInt(address + layout.at(VmField.BLOB_MUTABLE_DATA_SIZE));
        } else {
            metadata = metadataInBlob(address);
            metadataEnd = layout.has(VmField.NMETHOD_IMMUTABLE_DATA) ? end : scopes;
        }
        return new Nmethod.Tables(
                pcs,
                length(pcs, pcsEnd),
                scopes,
                length(scopes, scopesEnd),
                metadata,
                length(metadata, metadataEnd),
                oopMaps(address),
                implicitExceptions(address),
                oops(address));
    }

    /** Returns -1 if the oop maps cannot be read; the rest of the nmethod is still usable. */
    private long oopMaps(long address) {
        try {
            return layout.hasAll(SafepointOffsets.OOP_MAPS)
                    ? memory.readLong(address + layout.at(VmField.BLOB_OOP_MAPS))
                    : 0;
        } catch (MemoryFault e) {
            return -1;
        }
    }

    /** Returns 0 if the table cannot be read. */
    private long oops(long address) {
        VmField offset =
                layout.has(VmField.NMETHOD_OOPS_OFFSET) ? VmField.NMETHOD_OOPS_OFFSET : VmField.BLOB_DATA_OFFSET;
        try {
            return layout.has(offset) ? address + memory.readInt(address + layout.at(offset)) : 0;
        } catch (MemoryFault e) {
            return 0;
        }
    }

    /** Returns 0 if the table cannot be read. */
    private long implicitExceptions(long address) {
        if (!layout.has(VmField.NMETHOD_IMPLICIT_EXCEPTIONS_OFFSET)) {
            return 0;
        }
        long field = address + layout.at(VmField.NMETHOD_IMPLICIT_EXCEPTIONS_OFFSET);
        try {
            return layout.has(VmField.NMETHOD_IMMUTABLE_DATA)
                    ? memory.readLong(address + layout.at(VmField.NMETHOD_IMMUTABLE_DATA)) + memory.readShort(field)
                    : address + memory.readInt(field);
        } catch (MemoryFault e) {
            return 0;
        }
    }

    /**
     * Returns the address of the metadata table in a blob. Its offset is relative to the blob and an int up to JDK 22,
     * and relative to the blob's data and a uint16_t in JDK 23 and 24.
     */
    private long metadataInBlob(long address) throws MemoryFault {
        long field = address + layout.at(VmField.NMETHOD_METADATA_OFFSET);
        return layout.has(VmField.NMETHOD_IMMUTABLE_DATA)
                ? address + memory.readInt(address + layout.at(VmField.BLOB_DATA_OFFSET)) + memory.readShort(field)
                : address + memory.readInt(field);
    }

    private static int length(long from, long to) throws BadMetadata {
        if (to < from || to - from > MAX_TABLE) {
            throw new BadMetadata("an nmethod's table of " + (to - from) + " bytes");
        }
        return (int) (to - from);
    }
}
