package mayfly.binary.elf;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import mayfly.binary.BadFormat;
import mayfly.binary.Cursor;
import mayfly.binary.elf.ElfFile.Section;
import mayfly.binary.elf.ElfFile.Segment;

/** Reads the headers of an ELF file. See elf(5). */
final class ElfHeaders {
    private static final int ELF_MAGIC = 0x464c457f;
    private static final int ELFCLASS64 = 2;
    private static final int ELFDATA2LSB = 1;
    private static final int ET_EXEC = 2;
    private static final int ET_DYN = 3;
    private static final int EHDR_SIZE = 64;
    private static final int PHDR_SIZE = 56;
    private static final int SHDR_SIZE = 64;
    /**
     * Position of sh_size in a section header. In the first header, sh_size is the number of sections if the number is
     * too large for e_shnum.
     */
    private static final int SH_SIZE = 32;
    /** Upper bound on the number of sections. No loaded file has this many. */
    private static final int MAX_SECTIONS = 1 << 16;

    private static final int MAX_SECTION_NAME = 256;

    private final String name;
    private final MemorySegment bytes;
    private final List<Segment> segments = new ArrayList<>();
    private final List<Section> sections = new ArrayList<>();
    private int skipped;

    ElfHeaders(String name, MemorySegment bytes, int wantedMachine) throws BadFormat {
        this.name = name;
        this.bytes = bytes;
        Cursor in = new Cursor(name, bytes);
        if (bytes.byteSize() < EHDR_SIZE || in.s32() != ELF_MAGIC) {
            throw new BadFormat(name, 0, "not an ELF file");
        }
        if (in.u8() != ELFCLASS64 || in.u8() != ELFDATA2LSB) {
            throw new BadFormat(name, 4, "not 64-bit little-endian");
        }
        in.seek(16);
        int type = in.u16();
        int machine = in.u16();
        if (machine != wantedMachine || type != ET_EXEC && type != ET_DYN) {
            throw new BadFormat(
                    name,
                    16,
                    "not an executable or library for this CPU (type " + type + ", machine " + machine + ", not "
                            + wantedMachine + ")");
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

    List<Segment> segments() {
        return List.copyOf(segments);
    }

    List<Section> sections() {
        return List.copyOf(sections);
    }

    /** Returns the number of headers that were invalid. */
    int skipped() {
        return skipped;
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
            boolean sane = offset >= 0
                    && fileSize >= 0
                    && memorySize >= 0
                    && memorySize < ElfFile.MAX_SPAN
                    && vaddr >= 0
                    && vaddr <= Long.MAX_VALUE - ElfFile.MAX_SPAN;
            if (sane && offset <= bytes.byteSize()) {
                long inFile = Math.min(fileSize, bytes.byteSize() - offset);
                segments.add(new Segment(type, flags, offset, vaddr, inFile, memorySize));
            } else {
                skipped++;
            }
        }
    }

    /** Reads the section headers. A program does not need them to run, so damaged section headers are ignored. */
    private void readSections(long shoff, int shnum, int shstrndx) throws BadFormat {
        if (shoff < 0 || shoff > bytes.byteSize() - SHDR_SIZE) {
            skipped++;
            return;
        }
        Cursor in = new Cursor(name + " section headers", bytes, shoff, bytes.byteSize());
        long count = shnum != 0 ? shnum : bytes.get(Cursor.U64, shoff + SH_SIZE);
        long most = Math.clamp(count, 0, Math.min(in.remaining() / SHDR_SIZE, MAX_SECTIONS));
        List<Section> unnamed = new ArrayList<>();
        List<Integer> names = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            names.add(in.s32());
            int type = in.s32();
            long flags = in.u64();
            long vaddr = in.u64();
            long offset = in.u64();
            long size = in.u64();
            int link = in.s32();
            in.skip(20);
            boolean inFile =
                    type == ElfFile.SHT_NOBITS || offset >= 0 && size >= 0 && offset <= bytes.byteSize() - size;
            if (!inFile) {
                skipped++;
            }
            // Unusable sections are kept, because links are indices.
            unnamed.add(new Section("", inFile ? type : ElfFile.SHT_NOBITS, flags, vaddr, offset, size, link));
        }
        Section strings = shstrndx < unnamed.size() ? unnamed.get(shstrndx) : null;
        for (int i = 0; i < unnamed.size(); i++) {
            Section s = unnamed.get(i);
            String called = strings == null ? "" : text(strings, names.get(i));
            sections.add(new Section(called, s.type(), s.flags(), s.vaddr(), s.offset(), s.size(), s.link()));
        }
    }

    /** Returns the string at an offset of a string table, or an empty string if there is none. */
    private String text(Section strings, long offset) {
        if (strings.type() == ElfFile.SHT_NOBITS || offset < 0 || offset >= strings.size()) {
            return "";
        }
        try {
            long end = strings.offset() + strings.size();
            return new Cursor(name, bytes, strings.offset() + offset, end).string(MAX_SECTION_NAME);
        } catch (BadFormat e) {
            skipped++;
            return "";
        }
    }
}
