package mayfly.unwind;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import mayfly.binary.BadFormat;
import mayfly.binary.elf.DebugLink;
import mayfly.binary.elf.ElfFile;
import mayfly.process.TargetProcess;
import org.jspecify.annotations.Nullable;

/**
 * Finds the separate symbols of a stripped file in the target's own file system. The locations are those of the GDB
 * manual, Debugging Information in Separate Files. A candidate is accepted only if its build id or checksum matches.
 */
final class DebugFile {
    private static final String DEBUG = "/usr/lib/debug";
    /**
     * Lower bound on the length of a build id, in hexadecimal digits. An id of fewer than eight bytes is not considered
     * unique.
     */
    private static final int MIN_BUILD_ID = 16;
    /**
     * Upper bound on the size of a file whose checksum is computed, in bytes. Reading a file of this size takes one or
     * two seconds.
     */
    private static final long MAX_SUMMED = 1L << 30;

    private final TargetProcess process;
    private final String path;
    private final ElfFile stripped;

    /**
     * Looks for the symbols of one file.
     *
     * @param path the path of the file in the target's file system
     */
    DebugFile(TargetProcess process, String path, ElfFile stripped) {
        this.process = process;
        this.path = path;
        this.stripped = stripped;
    }

    /**
     * Returns the file that has the symbols, or null if there is none.
     *
     * @throws BadFormat if no separate file is accepted and the section .gnu_debugdata cannot be read
     */
    @Nullable
    ElfFile find() throws BadFormat {
        ElfFile found = byBuildId();
        if (found == null) {
            found = byLink();
        }
        return found == null ? stripped.miniDebugInfo() : found;
    }

    private @Nullable ElfFile byBuildId() {
        String id = stripped.buildId();
        if (id.length() < MIN_BUILD_ID) {
            return null;
        }
        String at = DEBUG + "/.build-id/" + id.substring(0, 2) + "/" + id.substring(2) + ".debug";
        MemorySegment bytes = bytes(at);
        ElfFile file = bytes == null ? null : withSymbols(at, bytes);
        return file != null && file.buildId().equals(id) ? file : null;
    }

    private @Nullable ElfFile byLink() {
        DebugLink link = stripped.debugLink();
        if (link == null || !path.startsWith("/")) {
            return null;
        }
        String directory = path.substring(0, path.lastIndexOf('/') + 1);
        for (String place : List.of(directory, directory + ".debug/", DEBUG + directory)) {
            MemorySegment bytes = bytes(place + link.file());
            ElfFile file = bytes == null ? null : withSymbols(place + link.file(), bytes);
            if (bytes != null && file != null && belongs(file, bytes, link)) {
                return file;
            }
        }
        return null;
    }

    /**
     * Returns true if a file is the target of the link. If both files have a build id, the ids are compared, because a
     * checksum requires reading the complete file.
     */
    private boolean belongs(ElfFile file, MemorySegment bytes, DebugLink link) {
        String id = stripped.buildId();
        return id.isEmpty() || file.buildId().isEmpty()
                ? bytes.byteSize() <= MAX_SUMMED && link.matches(bytes)
                : id.equals(file.buildId());
    }

    private @Nullable MemorySegment bytes(String at) {
        try {
            return process.fileAt(at);
        } catch (IOException e) {
            return null; // most stripped files have no debug file
        }
    }

    private @Nullable ElfFile withSymbols(String at, MemorySegment bytes) {
        try {
            ElfFile file = ElfFile.parse(at.substring(at.lastIndexOf('/') + 1), bytes, stripped.machine());
            return file.isStripped() ? null : file;
        } catch (BadFormat e) {
            return null; // an unrelated file with that name
        }
    }
}
