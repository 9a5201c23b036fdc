package mayfly.binary.elf;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import mayfly.binary.BadFormat;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * The section .gnu_debugdata: an ELF file compressed by xz, with the symbols of functions that are not exported. See
 * the GDB manual, Debugging information in a special section.
 */
final class MiniDebugInfo {
    /** Upper bound on the compressed size, in bytes. The largest sections observed have a few MiB. */
    private static final int MAX_COMPRESSED = 8 << 20;

    static final int MAX_SIZE = 24 << 20;
    /** Upper bound on the decoder's memory, in KiB: xz's dictionary of 8 MiB, and the same amount again. */
    private static final int MAX_DECODER = 16 << 10;

    private MiniDebugInfo() {}

    /** Returns the file in the section, or null if there is no such section. */
    static @Nullable ElfFile of(ElfFile elf) throws BadFormat {
        ElfFile.Section section = elf.section(".gnu_debugdata");
        if (section == null) {
            return null;
        }
        String what = elf.name() + " .gnu_debugdata";
        if (section.size() > MAX_COMPRESSED) {
            throw new BadFormat(what, 0, section.size() + " bytes, at most " + MAX_COMPRESSED + " are accepted");
        }
        byte[] plain;
        try {
            plain = decompressed(elf.bytes().asSlice(section.offset(), section.size()));
        } catch (IOException e) {
            throw new BadFormat(what, 0, "cannot be decompressed: " + e.getMessage());
        } catch (InternalError e) {
            throw new BadFormat(what, 0, "the file became shorter while it was read");
        }
        if (plain.length > MAX_SIZE) {
            throw new BadFormat(what, 0, "more than " + MAX_SIZE + " bytes when decompressed");
        }
        return ElfFile.parse(what, MemorySegment.ofArray(plain), elf.machine());
    }

    /** Returns the decompressed bytes of a section, at most one more than the limit. */
    static byte[] decompressed(MemorySegment section) throws IOException {
        byte[] compressed = section.toArray(ValueLayout.JAVA_BYTE);
        try (XZInputStream in = new XZInputStream(new ByteArrayInputStream(compressed), MAX_DECODER)) {
            return in.readNBytes(MAX_SIZE + 1);
        }
    }
}
