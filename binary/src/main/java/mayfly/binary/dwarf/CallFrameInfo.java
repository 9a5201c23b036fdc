package mayfly.binary.dwarf;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;
import mayfly.binary.BadFormat;
import mayfly.binary.Cursor;
import mayfly.binary.elf.ElfFile;
import org.jspecify.annotations.Nullable;

/**
 * The call-frame information of one ELF file: for each address, the rules to find the caller.
 *
 * <p>Rows are computed on demand from the entry of their function, and cached for the other addresses that they cover.
 * Not thread-safe.
 */
public final class CallFrameInfo {
    private static final int MAX_ROWS = 4096;

    /** A row and its entry. */
    private record Entry(Fde fde, UnwindRow row) {}

    private final String name;
    private final EhFrame frames;
    private final @Nullable EhFrameIndex table;
    private @Nullable EhFrameIndex listed;
    /** The cached rows, by the first address that each covers. */
    private final TreeMap<Long, Entry> known = new TreeMap<>();

    private CallFrameInfo(String name, EhFrame frames, @Nullable EhFrameIndex table) {
        this.name = name;
        this.frames = frames;
        this.table = table;
    }

    /**
     * Reads a file's call-frame information.
     *
     * @param registers the number of registers that have a rule; their DWARF numbers are below this number
     * @throws BadFormat if the file's call-frame information cannot be located
     */
    public static CallFrameInfo of(ElfFile elf, int registers) throws BadFormat {
        try {
            return located(elf, registers);
        } catch (InternalError e) {
            throw new BadFormat(elf.name(), 0, "the file became shorter while it was read");
        }
    }

    private static CallFrameInfo located(ElfFile elf, int registers) throws BadFormat {
        ElfFile.Section section = elf.section(".eh_frame");
        ElfFile.Segment header = elf.ehFrameHeader();
        MemorySegment bytes = elf.bytes();
        if (header == null && section == null) {
            throw new BadFormat(elf.name(), 0, "has no call-frame information");
        }
        long frameVaddr;
        MemorySegment frame;
        if (section != null) {
            frameVaddr = section.vaddr();
            frame = bytes.asSlice(section.offset(), section.size());
        } else {
            frameVaddr = frameVaddr(elf, header);
            ElfFile.Segment in = elf.loaded(frameVaddr);
            if (in == null) {
                throw new BadFormat(elf.name() + " .eh_frame_hdr", 4, "points outside the file");
            }
            long skip = frameVaddr - in.vaddr();
            frame = bytes.asSlice(in.offset() + skip, in.fileSize() - skip);
        }
        EhFrame frames = new EhFrame(elf.name(), frame, frameVaddr, registers);
        return new CallFrameInfo(elf.name(), frames, header == null ? null : table(elf, header, frameVaddr));
    }

    private static long frameVaddr(ElfFile elf, ElfFile.@Nullable Segment header) throws BadFormat {
        if (header == null) {
            return -1;
        }
        Cursor in = headerCursor(elf, header);
        in.skip(1);
        int encoding = in.u8();
        in.skip(2);
        return PointerEncoding.read(in, encoding, header.vaddr(), header.vaddr());
    }

    private static Cursor headerCursor(ElfFile elf, ElfFile.Segment header) throws BadFormat {
        MemorySegment bytes = elf.bytes().asSlice(header.offset(), header.fileSize());
        return new Cursor(elf.name() + " .eh_frame_hdr", bytes);
    }

    /** Returns the search table, or null if it is missing or unusable. An index of all entries then replaces it. */
    private static @Nullable EhFrameIndex table(ElfFile elf, ElfFile.Segment header, long frameVaddr) {
        try {
            MemorySegment bytes = elf.bytes().asSlice(header.offset(), header.fileSize());
            return EhFrameIndex.header(headerCursor(elf, header), bytes, header.vaddr(), frameVaddr);
        } catch (BadFormat e) {
            return null;
        }
    }

    private EhFrameIndex index() {
        if (table != null) {
            return table;
        }
        EhFrameIndex made = listed;
        if (made == null) {
            made = EhFrameIndex.list(frames);
            listed = made;
        }
        return made;
    }

    /**
     * Returns the row for an address, or null if no entry covers it.
     *
     * @throws BadFormat if the entry is malformed or of an unknown kind
     */
    public @Nullable UnwindRow rowAt(long vaddr) throws BadFormat {
        Entry entry = known(vaddr);
        if (entry != null) {
            return entry.row;
        }
        try {
            Fde fde = fdeAt(vaddr);
            return fde == null ? null : keep(fde, new CfaProgram(frames, fde).rowAt(vaddr));
        } catch (InternalError e) {
            throw new BadFormat(name, 0, "the file became shorter while it was read");
        }
    }

    private @Nullable Entry known(long vaddr) {
        Map.Entry<Long, Entry> floor = known.floorEntry(vaddr);
        return floor != null && vaddr < floor.getValue().row.end() ? floor.getValue() : null;
    }

    private UnwindRow keep(Fde fde, UnwindRow row) {
        if (known.size() >= MAX_ROWS) {
            known.clear();
        }
        known.put(row.start(), new Entry(fde, row));
        return row;
    }

    private @Nullable Fde fdeAt(long vaddr) throws BadFormat {
        long position = index().find(vaddr);
        if (position < 0) {
            return null;
        }
        Fde fde = frames.fde(position);
        return fde.covers(vaddr) ? fde : null;
    }

    /**
     * Returns the range of the function that contains an address, according to the entries: its first address, and the
     * first address after the function; null if no entry covers the address.
     *
     * @throws BadFormat if the entry is malformed
     */
    public long @Nullable [] functionAt(long vaddr) throws BadFormat {
        Entry entry = known(vaddr);
        Fde fde = entry != null ? entry.fde : fdeAt(vaddr);
        return fde == null ? null : new long[] {fde.start(), fde.end()};
    }
}
