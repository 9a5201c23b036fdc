package mayfly.binary.elf;

import java.util.HexFormat;
import mayfly.binary.BadFormat;
import mayfly.binary.Cursor;

/** Finds the note that identifies a build of a file: NT_GNU_BUILD_ID. See elf(5), Notes. */
final class BuildId {
    private static final int PT_NOTE = 4;
    private static final int SHT_NOTE = 7;
    private static final int NT_GNU_BUILD_ID = 3;
    /** "GNU" with its terminating zero. */
    private static final int GNU = 0x554e47;
    /** Three words: size of the name, size of the value, type. */
    private static final int NHDR_SIZE = 12;

    private static final int MAX_LENGTH = 64;

    private BuildId() {}

    /** Returns the build id in hexadecimal, or an empty string if the file has none. */
    static String of(ElfFile elf) {
        String id = "";
        for (ElfFile.Segment s : elf.segments()) {
            if (id.isEmpty() && s.type() == PT_NOTE) {
                id = in(elf, s.offset(), s.fileSize());
            }
        }
        for (ElfFile.Section s : elf.sections()) {
            if (id.isEmpty() && s.type() == SHT_NOTE) {
                id = in(elf, s.offset(), s.size());
            }
        }
        return id;
    }

    private static String in(ElfFile elf, long offset, long size) {
        try {
            Cursor in = new Cursor(
                    elf.name() + " notes",
                    elf.bytes(),
                    offset,
                    Math.min(elf.bytes().byteSize(), offset + size));
            while (in.remaining() >= NHDR_SIZE) {
                long nameSize = in.u32();
                long valueSize = in.u32();
                int type = in.s32();
                long valueAt = in.position() + (nameSize + 3 & -4L);
                if (type == NT_GNU_BUILD_ID && nameSize == 4 && in.s32() == GNU) {
                    return HexFormat.of().formatHex(in.copy(valueSize, MAX_LENGTH));
                }
                in.seek(valueAt);
                in.skip(valueSize + 3 & -4L);
            }
        } catch (BadFormat | InternalError e) {
            // Unreadable notes are treated as absent.
        }
        return "";
    }
}
