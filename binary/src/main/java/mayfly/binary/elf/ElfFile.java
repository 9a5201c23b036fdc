package mayfly.binary.elf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import mayfly.binary.BadFormat;
import org.jspecify.annotations.Nullable;

/**
 * An ELF file for one CPU, or an ELF image in memory, such as the vdso. See elf(5).
 *
 * <p>Addresses are virtual addresses of the file (vaddr), as nm prints them. If a header points outside the file, only
 * the part that it describes is unavailable. Not thread-safe.
 */
public final class ElfFile {
    static final int SHT_NOBITS = 8;
    static final int PT_LOAD = 1;
    private static final int PT_DYNAMIC = 2;
    private static final int PT_GNU_EH_FRAME = 0x6474e550;
    /** The page size of x86-64: this room does not use {@code arch}. Mappings of a file begin at whole pages. */
    private static final long PAGE = 4096;
    /** Upper bound on the size of an accepted range of addresses: 512 GiB. */
    public static final long MAX_SPAN = 1L << 39;

    /**
     * A program header.
     *
     * @param type PT_LOAD and so on
     * @param flags 1 execute, 2 write, 4 read
     * @param offset position in the file
     * @param vaddr address of its first byte
     * @param fileSize bytes in the file
     * @param memorySize bytes in memory, at least {@code fileSize}
     */
    public record Segment(int type, int flags, long offset, long vaddr, long fileSize, long memorySize) {
        public boolean executable() {
            return (flags & 1) != 0;
        }

        boolean holds(long address) {
            return address - vaddr >= 0 && address - vaddr < fileSize;
        }
    }

    /**
     * A section header.
     *
     * @param name such as {@code .symtab}
     * @param type SHT_SYMTAB and so on
     * @param flags SHF_WRITE 1, SHF_ALLOC 2, SHF_EXECINSTR 4
     * @param vaddr address, 0 if it is not loaded
     * @param offset position in the file
     * @param size bytes
     * @param link index of an associated section
     */
    public record Section(String name, int type, long flags, long vaddr, long offset, long size, int link) {}

    private final String name;
    private final MemorySegment bytes;
    private final List<Segment> segments;
    /** e_entry in Elf64_Ehdr, see elf(5). */
    private static final long ENTRY_OFFSET = 24;

    private static final ValueLayout.OfLong ENTRY = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final int machine;
    private final List<Section> sections;
    private final int skipped;
    private @Nullable ElfSymbols symbols;

    private ElfFile(String name, MemorySegment bytes, int machine, ElfHeaders headers) {
        this.name = name;
        this.bytes = bytes;
        this.machine = machine;
        this.segments = headers.segments();
        this.sections = headers.sections();
        this.skipped = headers.skipped();
    }

    /**
     * Reads the headers.
     *
     * @param name used in messages only
     * @param bytes the complete file; must stay valid while the result is used
     * @param machine the CPU's number in e_machine
     * @throws BadFormat if the bytes are not an ELF file for that CPU, or the file is truncated during the read
     */
    public static ElfFile parse(String name, MemorySegment bytes, int machine) throws BadFormat {
        try {
            MemorySegment readOnly = bytes.asReadOnly();
            return new ElfFile(name, readOnly, machine, new ElfHeaders(name, readOnly, machine));
        } catch (InternalError e) {
            throw new BadFormat(name, 0, "the file became shorter while it was read");
        }
    }

    /** Returns the name used in messages. */
    public String name() {
        return name;
    }

    /** Returns the number of its CPU: e_machine. */
    public int machine() {
        return machine;
    }

    /** Returns the complete file, read-only. */
    public MemorySegment bytes() {
        return bytes;
    }

    /**
     * Returns the address of the first instruction if the file is a program or a dynamic linker. For other files the
     * result is 0 or undefined.
     */
    public long entry() {
        return bytes.get(ENTRY, ENTRY_OFFSET);
    }

    /** Returns the valid program headers in the order of the file. */
    public List<Segment> segments() {
        return segments;
    }

    /** Returns the sections by index, in the file's order. */
    public List<Section> sections() {
        return sections;
    }

    /** Returns the number of headers that were invalid. */
    public int skipped() {
        return skipped;
    }

    /** Returns the first section of that name that has bytes in the file, or null if there is none. */
    public @Nullable Section section(String wanted) {
        for (Section s : sections) {
            if (s.type != SHT_NOBITS && s.name.equals(wanted)) {
                return s;
            }
        }
        return null;
    }

    @Nullable
    Section sectionOfType(int type) {
        for (Section s : sections) {
            if (s.type == type) {
                return s;
            }
        }
        return null;
    }

    @Nullable
    Section sectionAt(int index) {
        if (index <= 0 || index >= sections.size() || sections.get(index).type == SHT_NOBITS) {
            return null;
        }
        return sections.get(index);
    }

    @Nullable
    public Segment ehFrameHeader() {
        return segmentOfType(PT_GNU_EH_FRAME);
    }

    @Nullable
    Segment dynamic() {
        return segmentOfType(PT_DYNAMIC);
    }

    private @Nullable Segment segmentOfType(int type) {
        for (Segment s : segments) {
            if (s.type == type) {
                return s;
            }
        }
        return null;
    }

    /** Returns the PT_LOAD segment whose bytes in the file include the address, or null if there is none. */
    public @Nullable Segment loaded(long vaddr) {
        for (Segment s : segments) {
            if (s.type == PT_LOAD && s.holds(vaddr)) {
                return s;
            }
        }
        return null;
    }

    /** Returns the position in the file of an address, or -1 if it is not in the file. */
    public long offsetOf(long vaddr) {
        Segment s = loaded(vaddr);
        return s == null ? -1 : s.offset + (vaddr - s.vaddr);
    }

    /**
     * Returns the address at which a position of the file is loaded, for a mapping that starts there, or -1 if it is
     * not loaded. Segments are mapped in whole pages, so the position may precede the segment's first byte.
     *
     * @param offset position in the file, as in /proc/PID/maps
     * @param executable true if the mapping is executable: distinguishes two segments that share a page
     */
    public long vaddrOf(long offset, boolean executable) {
        long found = -1;
        for (Segment s : segments) {
            long first = s.offset & -PAGE;
            if (s.type == PT_LOAD && offset >= first && offset < s.offset + s.fileSize) {
                long vaddr = s.vaddr + (offset - s.offset);
                if (s.executable() == executable) {
                    return vaddr;
                }
                found = vaddr;
            }
        }
        return found;
    }

    /**
     * Copies code or constants at an address. Returns the number of copied bytes: fewer than the array's length if the
     * segment ends earlier, 0 if the address is not in the file.
     */
    public int read(long vaddr, byte[] to) {
        Segment s = loaded(vaddr);
        if (s == null) {
            return 0;
        }
        long in = vaddr - s.vaddr;
        int n = (int) Math.min(to.length, s.fileSize - in);
        try {
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, s.offset + in, to, 0, n);
            return n;
        } catch (InternalError e) {
            return 0;
        }
    }

    /** Returns the build id in hexadecimal, or an empty string if there is none. */
    public String buildId() {
        return BuildId.of(this);
    }

    /** Returns true if .symtab was removed, so that only exported functions have names. */
    public boolean isStripped() {
        return SymbolTable.full(this) == null;
    }

    /** Returns the link to the file that contains the removed .symtab, or null if there is none. */
    public @Nullable DebugLink debugLink() {
        return DebugLink.of(this);
    }

    /**
     * Returns the file in .gnu_debugdata, which contains symbols, or null if there is no such section.
     *
     * @throws BadFormat if the section cannot be decompressed or is not an ELF file
     */
    public @Nullable ElfFile miniDebugInfo() throws BadFormat {
        return MiniDebugInfo.of(this);
    }

    /**
     * Returns the symbols of this file.
     *
     * @throws BadFormat if the symbol tables are malformed
     */
    public ElfSymbols symbols() throws BadFormat {
        ElfSymbols made = symbols;
        if (made == null) {
            made = ElfSymbols.of(this, this);
            symbols = made;
        }
        return made;
    }

    /**
     * Returns the symbols of this stripped file.
     *
     * @param separate the file that contains its .symtab: its debug file, or {@link #miniDebugInfo()}
     * @throws BadFormat if the symbol tables are malformed
     */
    public ElfSymbols symbolsFrom(ElfFile separate) throws BadFormat {
        return ElfSymbols.of(this, separate);
    }
}
