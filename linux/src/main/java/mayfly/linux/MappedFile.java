package mayfly.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Statx;
import mayfly.process.Mapping;
import org.jspecify.annotations.Nullable;

/**
 * Maps files of a process, wherever its root directory is: those that it has mapped itself, the very ones, and others
 * by their path.
 *
 * <p>Descriptors are opened with O_PATH first and looked at: a device or a pipe planted at the path is never opened.
 */
final class MappedFile {
    /** Larger than any library we could make sense of. */
    private static final long LARGEST = 8L << 30;

    private MappedFile() {
    }

    /**
     * Maps the whole of a file that the process has mapped.
     *
     * @param proc the process's directory in /proc
     * @param formerRoot its root directory as it was once, for when it has ended
     * @param avoidsPaths open it through the mapping alone, as far as this user may
     */
    static MemorySegment map(String proc, Fd formerRoot, Mapping mapping, Arena arena, boolean avoidsPaths)
            throws IOException {
        if (!mapping.isFile()) {
            throw new IOException("no file is mapped at 0x" + Long.toHexString(mapping.start()));
        }
        try (Fd fd = avoidsPaths ? openByMapping(proc, formerRoot, mapping) : open(proc, formerRoot, mapping)) {
            return whole(fd, arena, mapping.path());
        }
    }

    /** Maps the whole file that is at a path below a root directory, whichever file that is. */
    static MemorySegment mapAt(Fd root, String path, Arena arena) throws IOException {
        try (Fd fd = Open.inRoot(root, path)) {
            return whole(fd, arena, path);
        }
    }

    private static MemorySegment whole(Fd fd, Arena arena, String path) throws IOException {
        Statx stat = Statx.ofServer(fd);
        if (!stat.isRegular()) {
            throw new IOException(path + " is not a regular file");
        }
        if (stat.size() <= 0 || stat.size() > LARGEST) {
            throw new IOException(path + " has " + stat.size() + " bytes");
        }
        // Who has a lease on the file, see fcntl(2), could make an open wait; there is none while another has it open.
        try (Fd open = Open.readAtOnce(fd.path()); FileChannel channel = FileChannel.open(Path.of(open.path()), StandardOpenOption.READ)) {
            // A server that does not answer is waited for here, in a system call. A thread that waits in a page fault keeps
            // all of this JVM from its next safepoint.
            channel.read(ByteBuffer.allocate(1), 0);
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, stat.size(), arena);
        }
    }

    private static Fd open(String proc, Fd formerRoot, Mapping mapping) throws IOException {
        IOException first;
        try {
            return openByPath(proc, formerRoot, mapping);
        } catch (IOException e) {
            first = e;
        }
        try {
            return openByAddress(proc, mapping);
        } catch (IOException e) {
            first.addSuppressed(e);
            throw first;
        }
    }

    /**
     * The path is followed only where mappings may not be opened, and only administrators can have mounted what it leads
     * through: in a mount namespace of its own a user can cover it with a file system that never answers.
     */
    private static Fd openByMapping(String proc, Fd formerRoot, Mapping mapping) throws IOException {
        try {
            return openByAddress(proc, mapping);
        } catch (ErrnoException e) {
            if ((e.errno() == Errno.EPERM || e.errno() == Errno.EACCES) && ServedFiles.areMountsTrusted(proc)) {
                return openByPath(proc, formerRoot, mapping);
            }
            throw e;
        }
    }

    private static Fd openByPath(String proc, Fd formerRoot, Mapping mapping) throws IOException {
        if (mapping.isDeleted()) {
            throw new IOException(mapping.path() + ": the mapped file is no longer at its path, and only a privileged"
                    + " user can open it through the process");
        }
        // The kernel escapes a newline in the path, and nothing else.
        String path = mapping.path().replace("\\012", "\n");
        Fd fd;
        try (Fd root = root(proc)) {
            fd = Open.inRoot(root == null ? formerRoot : root, path);
        }
        try {
            Statx found = Statx.of(fd);
            if (found.inode() == mapping.inode()
                    && (found.device().equals(mapping.device()) || isSame(proc, mapping, found))) {
                return fd;
            }
        } catch (IOException e) {
            fd.close();
            throw e;
        }
        fd.close();
        throw new IOException(mapping.path() + ": the file now at this path is not the one that is mapped");
    }

    private static @Nullable Fd root(String proc) {
        try {
            return Open.directory(proc + "/root");
        } catch (ErrnoException e) {
            return null;
        }
    }

    /** btrfs and overlayfs show another device in maps than in stat, so compare stat with stat where permitted. */
    private static boolean isSame(String proc, Mapping mapping, Statx found) {
        try (Fd fd = openByAddress(proc, mapping)) {
            Statx mapped = Statx.of(fd);
            return mapped.inode() == found.inode() && mapped.device().equals(found.device());
        } catch (IOException e) {
            // An ordinary user may not: the inode number has to do.
            return true;
        }
    }

    /** /proc/PID/map_files still opens a file that has been unlinked. It needs CAP_CHECKPOINT_RESTORE. */
    private static Fd openByAddress(String proc, Mapping mapping) throws IOException {
        return Open.path(proc + "/map_files/" + Long.toHexString(mapping.start()) + "-"
                + Long.toHexString(mapping.end()));
    }
}
