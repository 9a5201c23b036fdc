package mayfly.unwind;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import mayfly.binary.BadFormat;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * An ELF file reconstructed from its loaded parts in a process, for files that were deleted or replaced. It has no
 * section headers, because they are not loaded. See elf(5).
 */
final class LoadedImage {
    /** Upper bound on the size of an image, in bytes: twice the size of a libjvm, and half of Mayfly's own heap. */
    private static final int MAX_IMAGE = 48 << 20;

    private static final int CHUNK = 1 << 16;
    private static final int PHDR_SIZE = 56;
    private static final int MAX_PHDRS = 64;

    private LoadedImage() {}

    /**
     * Reads the file whose header is loaded at the address.
     *
     * @throws BadFormat if there is no valid header, or the image is too large
     */
    static MemorySegment read(String name, Memory memory, long start) throws BadFormat {
        try {
            byte[] head = new byte[4096];
            memory.read(start, head, 0, head.length);
            ByteBuffer header = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
            int count = Math.min(header.getShort(56) & 0xffff, MAX_PHDRS);
            long phoff = header.getLong(32);
            if (header.getInt(0) != 0x464c457f || phoff < 64 || phoff + (long) count * PHDR_SIZE > head.length) {
                throw new BadFormat(name, 0, "its mapping does not start with an ELF header");
            }
            return assemble(name, memory, start, header, (int) phoff, count);
        } catch (MemoryFault e) {
            throw new BadFormat(name, 0, e.getMessage());
        }
    }

    private static MemorySegment assemble(
            String name, Memory memory, long start, ByteBuffer header, int phoff, int count) throws BadFormat {
        long size = 0;
        long first = -1;
        for (int i = 0; i < count; i++) {
            int at = phoff + i * PHDR_SIZE;
            if (header.getInt(at) == 1) {
                long offset = header.getLong(at + 8);
                long end = offset + header.getLong(at + 32);
                size = offset < 0 || end < offset || end > MAX_IMAGE ? Long.MAX_VALUE : Math.max(size, end);
                first = first < 0 ? header.getLong(at + 16) - header.getLong(at + 8) : first;
            }
        }
        if (size < header.capacity() || size > MAX_IMAGE) {
            throw new BadFormat(
                    name,
                    phoff,
                    "its program headers load fewer than " + header.capacity() + " or more than " + MAX_IMAGE
                            + " bytes");
        }
        byte[] image = new byte[(int) size];
        for (int i = 0; i < count; i++) {
            int at = phoff + i * PHDR_SIZE;
            if (header.getInt(at) == 1) {
                long vaddr = header.getLong(at + 16);
                copy(memory, start + (vaddr - first), image, header.getLong(at + 8), header.getLong(at + 32));
            }
        }
        ByteBuffer made = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
        // e_shoff: there are no section headers.
        made.putLong(40, 0);
        unrelocate(made, header, phoff, count, start - first);
        return MemorySegment.ofArray(image);
    }

    /** Copies the readable parts. Other bytes remain zero. */
    private static void copy(Memory memory, long from, byte[] image, long offset, long length) {
        for (long done = 0; offset >= 0 && done < length && offset + done < image.length; ) {
            int n = (int) Math.min(Math.min(CHUNK, length - done), image.length - offset - done);
            try {
                memory.read(from + done, image, (int) (offset + done), n);
            } catch (MemoryFault e) {
                java.util.Arrays.fill(image, (int) (offset + done), (int) (offset + done) + n, (byte) 0);
            }
            done += n;
        }
    }

    /** Converts the addresses in PT_DYNAMIC, which the dynamic linker has relocated, back to addresses of the file. */
    private static void unrelocate(ByteBuffer image, ByteBuffer header, int phoff, int count, long bias) {
        for (int i = 0; i < count; i++) {
            int at = phoff + i * PHDR_SIZE;
            long offset = header.getLong(at + 8);
            long size = header.getLong(at + 32);
            if (header.getInt(at) != 2 || offset < 0 || size < 0 || offset > image.capacity() - size) {
                continue;
            }
            for (int entry = (int) offset; entry + 16 <= offset + size; entry += 16) {
                long tag = image.getLong(entry);
                long value = image.getLong(entry + 8);
                // DT_STRTAB, DT_SYMTAB
                if ((tag == 5 || tag == 6) && bias > 0 && value >= bias) {
                    image.putLong(entry + 8, value - bias);
                }
            }
        }
    }
}
