package mayfly.corpus;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import mayfly.process.Mapping;
import mayfly.process.replay.RecordedFile;

/**
 * Extracts the parts of an ELF file that walks through given addresses need: its headers, the code around the
 * addresses, and their entries in .eh_frame, with a search table that contains only these. Section headers are omitted.
 * See elf(5) and LSB Core 5, section 10.6.
 */
final class ElfExtract {
    private static final ValueLayout.OfInt S32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int PHDR_SIZE = 56;
    private static final int PT_LOAD = 1;
    private static final int PT_GNU_EH_FRAME = 0x6474e550;
    /** The number of bytes of code that the walker reads before and after an address. */
    private static final int BEFORE = 32;

    private static final int AFTER = 96;
    private static final int MAX_ENTRY = 1 << 16;

    private final MemorySegment file;
    private final SortedMap<Long, byte[]> parts = new TreeMap<>();

    private ElfExtract(MemorySegment file) {
        this.file = file;
    }

    /** Returns the parts of a file for addresses in the file's own numbering. */
    static RecordedFile of(Mapping mapping, MemorySegment file, SortedSet<Long> addresses) throws IOException {
        ElfExtract extract = new ElfExtract(file);
        extract.headers();
        extract.code(addresses);
        extract.frames(addresses);
        return new RecordedFile(mapping.device(), mapping.inode(), mapping.path(), file.byteSize(), extract.parts);
    }

    private void headers() {
        byte[] header = bytes(0, 64);
        ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
        fields.putLong(40, 0).putShort(60, (short) 0).putShort(62, (short) 0);
        parts.put(0L, header);
        parts.put(phoff(), bytes(phoff(), phnum() * PHDR_SIZE));
    }

    private void code(SortedSet<Long> addresses) {
        long start = 0;
        long end = 0;
        for (long address : addresses) {
            long at = offset(address);
            if (at < 0) {
                continue;
            }
            long from = Math.max(0, at - BEFORE);
            if (from > end) {
                code(start, end);
                start = from;
            }
            end = Math.min(file.byteSize(), at + AFTER);
        }
        code(start, end);
    }

    /** Adds code to the parts, except at the headers, which are already there. */
    private void code(long from, long to) {
        if (from >= phoff() + (long) phnum() * PHDR_SIZE) {
            parts.put(from, bytes(from, (int) (to - from)));
        }
    }

    private void frames(SortedSet<Long> addresses) throws IOException {
        long header = -1;
        long vaddr = 0;
        for (int i = 0; i < phnum(); i++) {
            long at = phoff() + (long) i * PHDR_SIZE;
            if (file.get(S32, at) == PT_GNU_EH_FRAME) {
                header = file.get(U64, at + 8);
                vaddr = file.get(U64, at + 16);
            }
        }
        if (header < 0) {
            return;
        }
        // pcrel sdata4, udata4, datarel sdata4: the encodings that linkers write.
        if (file.get(S32, header) != 0x3b031b01) {
            throw new IOException("an .eh_frame_hdr with other encodings");
        }
        int count = file.get(S32, header + 8);
        SortedSet<Integer> wanted = new TreeSet<>();
        for (long address : addresses) {
            int first = find(header + 12, count, address - BEFORE - vaddr);
            int last = find(header + 12, count, address + AFTER - vaddr);
            for (int i = Math.max(0, first); i <= last; i++) {
                wanted.add(i);
            }
        }
        ByteBuffer table = ByteBuffer.allocate(12 + 8 * wanted.size()).order(ByteOrder.LITTLE_ENDIAN);
        table.putInt(file.get(S32, header)).putInt(file.get(S32, header + 4)).putInt(wanted.size());
        for (int i : wanted) {
            int frame = file.get(S32, header + 12 + 8L * i + 4);
            table.putInt(file.get(S32, header + 12 + 8L * i)).putInt(frame);
            long at = offset(vaddr + frame);
            entry(at);
            entry(at + 4 - file.get(S32, at + 4));
        }
        parts.put(header, table.array());
    }

    /** Returns the index of the last entry of the sorted table that is not above the value. */
    private int find(long table, int count, long wanted) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = low + high >>> 1;
            if (file.get(S32, table + 8L * middle) <= wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    private void entry(long at) throws IOException {
        long length = at < 0 ? -1 : file.get(S32, at) + 4L;
        if (length < 8 || length > MAX_ENTRY) {
            throw new IOException("an .eh_frame entry of " + length + " bytes");
        }
        parts.put(at, bytes(at, (int) length));
    }

    private long offset(long address) {
        for (int i = 0; i < phnum(); i++) {
            long at = phoff() + (long) i * PHDR_SIZE;
            long in = address - file.get(U64, at + 16);
            if (file.get(S32, at) == PT_LOAD && in >= 0 && in < file.get(U64, at + 32)) {
                return file.get(U64, at + 8) + in;
            }
        }
        return -1;
    }

    private long phoff() {
        return file.get(U64, 32);
    }

    private int phnum() {
        return file.get(S32, 56) & 0xffff;
    }

    private byte[] bytes(long from, int length) {
        return file.asSlice(from, length).toArray(ValueLayout.JAVA_BYTE);
    }
}
