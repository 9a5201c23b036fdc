package mayfly.binary.elf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import mayfly.binary.BadFormat;
import org.jspecify.annotations.Nullable;

/**
 * An ELF file for x86-64, or the pages of one in memory such as the vdso's. See elf(5).
 *
 * <p>Addresses are in the file's own numbering, what nm prints: vaddr. Headers that point outside the file cost what
 * they describe, not the file. Not safe for use by several threads at once.
 */
public final class ElfFile {
    static final int SHT_NOBITS = 8;
    static final int PT_LOAD = 1;
    private static final int PT_DYNAMIC = 2;
    private static final int PT_GNU_EH_FRAME = 0x6474e550;
    private static final long PAGE = 4096;
    /** Every span of addresses that is believed: 512 GiB. */
    public static final long MAX_SPAN = 1L << 39;

    /**
     * A program header.
     *
     * @param type PT_LOAD and so on
     * @param flags 1 execute, 2 write, 4 read
     * @param offset position in the file
     * @param vaddr address of its first byte
     * @param fileSize bytes in the file
     * @param memorySize bytes in memory, not less
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
    public record Section(String name, int type, long flags, long vaddr, long offset, long size, int link) {
    }

    private final String name;
    private final MemorySegment bytes;
    private final List<Segment> segments;
    /** e_entry in Elf64_Ehdr, see elf(5). */
    private static final long ENTRY_OFFSET = 24;
    private static final ValueLayout.OfLong ENTRY = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final List<Section> sections;
    private final int skipped;
    private @Nullable ElfSymbols symbols;

    private ElfFile(String name, MemorySegment bytes, ElfHeaders headers) {
        this.name = name;
        this.bytes = bytes;
        this.segments = headers.segments();
        this.sections = headers.sections();
        this.skipped = headers.skipped();
    }

    /**
     * Reads the headers.
     *
     * @param name for messages only
     * @param bytes the whole file; must stay valid as long as the result is used
     */
    public static ElfFile parse(String name, MemorySegment bytes) throws BadFormat {
        try {
            MemorySegment readOnly = bytes.asReadOnly();
            return new ElfFile(name, readOnly, new ElfHeaders(name, readOnly));
        } catch (InternalError e) {
            throw new BadFormat(name, 0, "the file became shorter while it was read");
        }
    }

    public String name() {
        return name;
    }

    public MemorySegment bytes() {
        return bytes;
    }

    /** The address of the first instruction if the file is a program or a dynamic linker, else 0 or meaningless. */
    public long entry() {
        return bytes.get(ENTRY, ENTRY_OFFSET);
    }

    /** Program headers in the file's order; those that make no sense are left out. */
    public List<Segment> segments() {
        return segments;
    }

    /** Sections by index, as the file has them. */
    public List<Section> sections() {
        return sections;
    }

    /** Headers that could not be believed. */
    public int skipped() {
        return skipped;
    }

    /** The first section of that name that has bytes in the file, null if there is none. */
    public @Nullable Section section(String wanted) {
        for (Section s : sections) {
            if (s.type != SHT_NOBITS && s.name.equals(wanted)) {
                return s;
            }
        }
        return null;
    }

    @Nullable Section sectionOfType(int type) {
        for (Section s : sections) {
            if (s.type == type) {
                return s;
            }
        }
        return null;
    }

    @Nullable Section sectionAt(int index) {
        if (index <= 0 || index >= sections.size() || sections.get(index).type == SHT_NOBITS) {
            return null;
        }
        return sections.get(index);
    }

    @Nullable public Segment ehFrameHeader() {
        return segmentOfType(PT_GNU_EH_FRAME);
    }

    @Nullable Segment dynamic() {
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

    /** The PT_LOAD segment whose bytes in the file include the address, null if none does. */
    public @Nullable Segment loaded(long vaddr) {
        for (Segment s : segments) {
            if (s.type == PT_LOAD && s.holds(vaddr)) {
                return s;
            }
        }
        return null;
    }

    /** Position in the file of an address, -1 if it is not in the file. */
    public long offsetOf(long vaddr) {
        Segment s = loaded(vaddr);
        return s == null ? -1 : s.offset + (vaddr - s.vaddr);
    }

    /**
     * The address at which a position of the file is loaded, for a mapping that starts there: segments are mapped in
     * whole pages, so the position may lie before the segment's own first byte. -1 if it is not loaded.
     *
     * @param offset position in the file, as in /proc/PID/maps
     * @param executable whether the mapping is: where two segments share a page, this tells them apart
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

    /** Copies code or constants at an address, as many as the file has there and fit. Returns how many. */
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

    /** The build id in hexadecimal, empty if there is none. */
    public String buildId() {
        return BuildId.of(this);
    }

    /** Whether .symtab was taken out, so that only exported functions have names. */
    public boolean isStripped() {
        return SymbolTable.full(this) == null;
    }

    /** Where .symtab was put when it was taken out, null if the file does not say. */
    public @Nullable DebugLink debugLink() {
        return DebugLink.of(this);
    }

    /** The symbols in .gnu_debugdata, as a file of their own; null if there is no such section. */
    public @Nullable ElfFile miniDebugInfo() throws BadFormat {
        return MiniDebugInfo.of(this);
    }

    /** Names of addresses. */
    public ElfSymbols symbols() throws BadFormat {
        ElfSymbols made = symbols;
        if (made == null) {
            made = ElfSymbols.of(this, this);
            symbols = made;
        }
        return made;
    }

    /**
     * Names of addresses, for a stripped file.
     *
     * @param separate where its .symtab is now: its debug file, or {@link #miniDebugInfo()}
     */
    public ElfSymbols symbolsFrom(ElfFile separate) throws BadFormat {
        return ElfSymbols.of(this, separate);
    }
}
