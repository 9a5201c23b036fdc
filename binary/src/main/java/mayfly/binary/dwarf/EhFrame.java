package mayfly.binary.dwarf;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import mayfly.binary.BadFormat;
import mayfly.binary.Cursor;
import mayfly.binary.elf.ElfFile;
import org.jspecify.annotations.Nullable;

/**
 * The entries of an .eh_frame section: LSB Core 5 section 10.6.1, which differs from section 6.4.1 of DWARF in the
 * identifiers. Positions are offsets in the section.
 */
public final class EhFrame {
    /** Upper bound on the length of an entry, in bytes. No compiler generates a longer entry for one function. */
    private static final long MAX_ENTRY = 1 << 20;

    private static final int MAX_CIES = 4096;
    /** The length value that announces a 64-bit length. DWARF 5 section 7.4. */
    private static final long WIDE = 0xffff_ffffL;

    private final String what;
    private final MemorySegment bytes;
    private final long vaddr;
    private final int registers;
    private final Map<Long, Cie> cies = new HashMap<>();

    /**
     * @param bytes the section, or all bytes of the file from the start of the section
     * @param vaddr its address
     * @param registers the number of registers that have a rule
     */
    public EhFrame(String file, MemorySegment bytes, long vaddr, int registers) {
        this.what = file + " .eh_frame";
        this.bytes = bytes;
        this.vaddr = vaddr;
        this.registers = registers;
    }

    long vaddr() {
        return vaddr;
    }

    int registers() {
        return registers;
    }

    long size() {
        return bytes.byteSize();
    }

    Cursor cursor(long from, long to) throws BadFormat {
        return new Cursor(what, bytes, from, to);
    }

    /**
     * An entry, with its cursor after the identifier.
     *
     * @param identifierAt position of the identifier
     * @param identifier 0 for a CIE; for an FDE the distance from its CIE to the identifier
     * @param end position after the entry
     */
    private record Entry(Cursor in, long identifierAt, long identifier, long end) {}

    /** Returns the entry at a position, or null at the end of the section. */
    private @Nullable Entry entry(long position) throws BadFormat {
        Cursor in = cursor(position, bytes.byteSize());
        if (in.remaining() < 4) {
            return null;
        }
        long length = in.u32();
        if (length == 0) {
            return null;
        }
        boolean wide = length == WIDE;
        if (wide) {
            length = in.u64();
        }
        if (length < 4 || length > MAX_ENTRY) {
            throw in.bad("entry of " + length + " bytes");
        }
        long identifierAt = in.position();
        long end = identifierAt + length;
        in.skip(length);
        in = cursor(identifierAt, end);
        long identifier = wide ? in.u64() : in.u32();
        return new Entry(in, identifierAt, identifier, end);
    }

    /**
     * Returns the FDE at a position.
     *
     * @throws BadFormat if there is no FDE, or it or its CIE is malformed
     */
    public Fde fde(long position) throws BadFormat {
        Entry e = entry(position);
        if (e == null || e.identifier == 0) {
            throw cursor(0, 0).bad("no FDE at 0x" + Long.toHexString(position));
        }
        return fde(e);
    }

    private Fde fde(Entry e) throws BadFormat {
        Cie cie = cie(e.identifierAt - e.identifier);
        Cursor in = e.in;
        long start = PointerEncoding.read(in, cie.pointers(), vaddr, 0);
        long length = PointerEncoding.value(in, cie.pointers());
        if (length < 0 || length > ElfFile.MAX_SPAN || start < 0 || start > Long.MAX_VALUE - length) {
            throw in.bad("FDE for " + length + " bytes at 0x" + Long.toHexString(start));
        }
        if (cie.augmented()) {
            in.skip(in.uleb());
        }
        return new Fde(cie, start, start + length, in.position(), e.end);
    }

    private Cie cie(long position) throws BadFormat {
        Cie known = cies.get(position);
        if (known != null) {
            return known;
        }
        Entry e = position < 0 ? null : entry(position);
        if (e == null || e.identifier != 0) {
            throw cursor(0, 0).bad("no CIE at 0x" + Long.toHexString(position));
        }
        Cie cie = Cie.read(e.in, e.end, vaddr, registers);
        if (cies.size() < MAX_CIES) {
            cies.put(position, cie);
        }
        return cie;
    }

    /** Returns the position after the entry that starts at the given position, or -1 at the end of the section. */
    long next(long position) throws BadFormat {
        Entry e = entry(position);
        return e == null ? -1 : e.end;
    }

    /** Returns true if the entry at this position, which is not the end, is an FDE. */
    boolean isFde(long position) throws BadFormat {
        Entry e = entry(position);
        return e != null && e.identifier != 0;
    }
}
