package mayfly.binary.elf;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import mayfly.binary.BadFormat;
import mayfly.binary.Cursor;
import org.jspecify.annotations.Nullable;

/**
 * The content of .gnu_debuglink: identifies the file that contains a stripped file's symbols. See the GDB manual,
 * Debugging Information in Separate Files.
 *
 * @param file its name, without a directory
 * @param crc CRC-32 of its bytes
 */
public record DebugLink(String file, int crc) {
    private static final int MAX_NAME = 255;
    private static final int CHUNK = 1 << 20;

    /** Returns the link of a file, or null if it has no valid link. */
    static @Nullable DebugLink of(ElfFile elf) {
        ElfFile.Section section = elf.section(".gnu_debuglink");
        if (section == null) {
            return null;
        }
        try {
            MemorySegment bytes = elf.bytes().asSlice(section.offset(), section.size());
            Cursor in = new Cursor(elf.name() + " .gnu_debuglink", bytes);
            String file = in.string(MAX_NAME);
            in.seek(in.position() + 3 & -4L);
            int crc = in.s32();
            boolean plain = !file.isEmpty() && file.indexOf('/') < 0 && !file.equals(".") && !file.equals("..");
            return plain ? new DebugLink(file, crc) : null;
        } catch (BadFormat | InternalError e) {
            return null;
        }
    }

    /** Returns true if these are the bytes of the linked file. Reads all of them. */
    public boolean matches(MemorySegment bytes) {
        CRC32 sum = new CRC32();
        try {
            for (long at = 0; at < bytes.byteSize(); at += CHUNK) {
                ByteBuffer chunk = bytes.asSlice(at, Math.min(CHUNK, bytes.byteSize() - at))
                        .asByteBuffer();
                sum.update(chunk);
            }
        } catch (InternalError e) {
            return false; // the file was truncated during the read
        }
        return (int) sum.getValue() == crc;
    }
}
