package mayfly.binary;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An ELF file for x86-64, or the pages of one in memory such as the vdso's. See elf(5).
 *
 * <p>Addresses are in the file's own numbering, what nm prints: vaddr. Headers that point outside the file cost what
 * they describe, not the file. Not safe for use by several threads at once.
 */
public final class ElfFile {
    private static final int EM_X86_64 = 62;
    private static final int SHT_NOTE = 7;
    private static final int SHT_NOBITS = 8;
    private static final int PT_LOAD = 1;
    private static final int PT_DYNAMIC = 2;
    private static final int PT_NOTE = 4;
    private static final int PT_GNU_EH_FRAME = 0x6474e550;
    private static final int NT_GNU_BUILD_ID = 3;
    private static final int EHDR_SIZE = 64;
    private static final int PHDR_SIZE = 56;
    private static final int SHDR_SIZE = 64;
    /** Every span of addresses that is believed: 512 GiB. */
    static final long MAX_SPAN = 1L << 39;

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
    private final List<Segment> segments = new ArrayList<>();
    private final List<Section> sections = new ArrayList<>();
    private int skipped;
    private @Nullable CallFrameInfo frames;
    private @Nullable ElfSymbols symbols;

    private ElfFile(String name, MemorySegment bytes) {
        this.name = name;
        this.bytes = bytes.asReadOnly();
    }

    /**
     * Reads the headers.
     *
     * @param name for messages only
     * @param bytes the whole file; must stay valid as long as the result is used
     */
    public static ElfFile parse(String name, MemorySegment bytes) throws BadFormat {
        ElfFile elf = new ElfFile(name, bytes);
        try {
            elf.readHeaders();
        } catch (InternalError e) {
            throw new BadFormat(name, 0, "the file became shorter while it was read");
        }
        return elf;
    }

    private void readHeaders() throws BadFormat {
        Cursor in = new Cursor(name, bytes);
        if (bytes.byteSize() < EHDR_SIZE || in.s32() != 0x464c457f) {
            throw new BadFormat(name, 0, "not an ELF file");
        }
        if (in.u8() != 2 || in.u8() != 1) {
            throw new BadFormat(name, 4, "not 64-bit little-endian");
        }
        in.seek(16);
        int type = in.u16();
        int machine = in.u16();
        if (machine != EM_X86_64 || type != 2 && type != 3) {
            throw new BadFormat(name, 16, "not an executable or library for x86-64 (type " + type + ", machine "
                    + machine + ")");
        }
        in.seek(32);
        long phoff = in.u64();
        long shoff = in.u64();
        in.skip(6);
        int phentsize = in.u16();
        int phnum = in.u16();
        int shentsize = in.u16();
        int shnum = in.u16();
        int shstrndx = in.u16();
        if (phnum > 0 && phentsize == PHDR_SIZE) {
            readSegments(phoff, phnum);
        }
        if (shoff != 0 && shentsize == SHDR_SIZE) {
            readSections(shoff, shnum, shstrndx);
        }
    }

    private void readSegments(long phoff, int phnum) throws BadFormat {
        Cursor in = new Cursor(name + " program headers", bytes, phoff, bytes.byteSize());
        for (int i = 0; i < phnum && in.remaining() >= PHDR_SIZE; i++) {
            int type = in.s32();
            int flags = in.s32();
            long offset = in.u64();
            long vaddr = in.u64();
            in.skip(8);
            long fileSize = in.u64();
            long memorySize = in.u64();
            in.skip(8);
            boolean sane = offset >= 0 && fileSize >= 0 && memorySize >= 0 && memorySize < MAX_SPAN
                    && vaddr >= 0 && vaddr <= Long.MAX_VALUE - MAX_SPAN;
            if (sane && offset <= bytes.byteSize()) {
                long inFile = Math.min(fileSize, bytes.byteSize() - offset);
                segments.add(new Segment(type, flags, offset, vaddr, inFile, memorySize));
            } else {
                skipped++;
            }
        }
    }

    /** Section headers are not needed to run a program: a file whose are damaged is read without them. */
    private void readSections(long shoff, int shnum, int shstrndx) throws BadFormat {
        if (shoff < 0 || shoff > bytes.byteSize() - SHDR_SIZE) {
            skipped++;
            return;
        }
        Cursor in = new Cursor(name + " section headers", bytes, shoff, bytes.byteSize());
        long count = shnum != 0 ? shnum : bytes.get(Cursor.U64, shoff + 32);
        long fit = in.remaining() / SHDR_SIZE;
        int most = (int) Math.min(Math.min(fit, 1 << 20), count < 0 ? 0 : count);
        int[] names = new int[most];
        List<Section> unnamed = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            names[i] = in.s32();
            int type = in.s32();
            long flags = in.u64();
            long vaddr = in.u64();
            long offset = in.u64();
            long size = in.u64();
            int link = in.s32();
            in.skip(20);
            boolean inFile = type == SHT_NOBITS || offset >= 0 && size >= 0 && offset <= bytes.byteSize() - size;
            if (!inFile) {
                skipped++;
            }
            // Kept even if it is useless, because links go by index.
            unnamed.add(new Section("", inFile ? type : SHT_NOBITS, flags, vaddr, offset, size, link));
        }
        Section strings = shstrndx < most ? unnamed.get(shstrndx) : null;
        for (int i = 0; i < most; i++) {
            Section s = unnamed.get(i);
            String called = strings == null ? "" : text(strings, names[i], 256);
            sections.add(new Section(called, s.type, s.flags, s.vaddr, s.offset, s.size, s.link));
        }
    }

    /** The string at an offset of a string table, empty if there is none. */
    private String text(Section strings, long offset, int most) {
        try {
            if (strings.type == SHT_NOBITS || offset < 0 || offset >= strings.size) {
                return "";
            }
            long end = strings.offset + strings.size;
            return new Cursor(name, bytes, strings.offset + offset, end).string(most);
        } catch (BadFormat e) {
            skipped++;
            return "";
        }
    }

    public String name() {
        return name;
    }

    MemorySegment bytes() {
        return bytes;
    }

    /** Program headers in the file's order; those that make no sense are left out. */
    public List<Segment> segments() {
        return List.copyOf(segments);
    }

    /** Sections by index, as the file has them. */
    public List<Section> sections() {
        return List.copyOf(sections);
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

    @Nullable Segment ehFrameHeader() {
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
            long first = s.offset & -4096L;
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
        for (Segment s : segments) {
            if (s.type == PT_NOTE) {
                String id = buildIdIn(s.offset, s.fileSize);
                if (!id.isEmpty()) {
                    return id;
                }
            }
        }
        for (Section s : sections) {
            if (s.type == SHT_NOTE) {
                String id = buildIdIn(s.offset, s.size);
                if (!id.isEmpty()) {
                    return id;
                }
            }
        }
        return "";
    }

    private String buildIdIn(long offset, long size) {
        try {
            Cursor in = new Cursor(name + " notes", bytes, offset, Math.min(bytes.byteSize(), offset + size));
            while (in.remaining() >= 12) {
                long nameSize = in.u32();
                long valueSize = in.u32();
                int type = in.s32();
                long valueAt = in.position() + (nameSize + 3 & -4L);
                if (type == NT_GNU_BUILD_ID && nameSize == 4 && in.s32() == 0x554e47) {
                    return HexFormat.of().formatHex(in.copy(valueSize, 64));
                }
                in.seek(valueAt);
                in.skip(valueSize + 3 & -4L);
            }
        } catch (BadFormat | InternalError e) {
            skipped++;
        }
        return "";
    }

    /** The file name in .gnu_debuglink, empty if there is none. */
    public String debugLink() {
        Section s = section(".gnu_debuglink");
        return s == null ? "" : text(s, 0, 255);
    }

    /** How to find each frame's caller. */
    public CallFrameInfo callFrameInfo() throws BadFormat {
        CallFrameInfo made = frames;
        if (made == null) {
            made = CallFrameInfo.of(this);
            frames = made;
        }
        return made;
    }

    /** Names of addresses. */
    public ElfSymbols symbols() throws BadFormat {
        ElfSymbols made = symbols;
        if (made == null) {
            made = ElfSymbols.of(this);
            symbols = made;
        }
        return made;
    }
}
