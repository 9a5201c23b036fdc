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
 * Maps files of a process, independent of its root directory: the very files that it has mapped, and other files by
 * path.
 *
 * <p>A file is first opened with O_PATH and checked, so a device or a pipe planted at the path is never opened for
 * reading.
 */
final class MappedFile {
    /** Upper bound on the size of a mapped file; no supported library is larger. */
    private static final long MAX_SIZE = 8L << 30;

    private MappedFile() {}

    /**
     * Maps the whole of a file that the process has mapped.
     *
     * @param proc the process's directory in /proc
     * @param formerRoot the root directory opened earlier, for use after the process has ended
     * @param avoidsPaths true to follow the path only if this user may not open the mapping, and only if the mounts on
     *     the path are trusted
     */
    static MemorySegment map(String proc, Fd formerRoot, Mapping mapping, Arena arena, boolean avoidsPaths)
            throws IOException {
        try (Fd fd = open(proc, formerRoot, mapping, avoidsPaths)) {
            return whole(fd, arena, mapping.path());
        }
    }

    /** Opens a file that the process has mapped, with O_PATH. The parameters are those of {@link #map}. */
    static Fd open(String proc, Fd formerRoot, Mapping mapping, boolean avoidsPaths) throws IOException {
        if (!mapping.isFile()) {
            throw new IOException("no file is mapped at 0x" + Long.toHexString(mapping.start()));
        }
        return avoidsPaths ? openByMapping(proc, formerRoot, mapping) : open(proc, formerRoot, mapping);
    }

    /** Maps the whole of the file that is now at a path below a root directory. */
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
        if (stat.size() <= 0 || stat.size() > MAX_SIZE) {
            throw new IOException(path + " cannot be mapped: its size is " + stat.size() + " bytes");
        }
        // The holder of a lease on the file, see fcntl(2), could block an open; no lease is possible while another
        // process has the file open.
        try (Fd open = Open.readAtOnce(fd.path());
                FileChannel channel = FileChannel.open(Path.of(open.path()), StandardOpenOption.READ)) {
            // An unresponsive file server blocks this thread here, in a system call. A thread that blocks in a page
            // fault would keep this JVM from its next safepoint.
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
     * Opens a mapped file through the mapping. Follows the path only if mappings may not be opened, and only if an
     * administrator made all mounts on the path: a user can cover the path, in a mount namespace of their own, with a
     * file system that never answers.
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
        // The kernel escapes newlines in the path, and nothing else.
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

    /**
     * Compares the results of stat for both files where permitted, because btrfs and overlayfs show a different device
     * in maps than in stat.
     */
    private static boolean isSame(String proc, Mapping mapping, Statx found) {
        try (Fd fd = openByAddress(proc, mapping)) {
            Statx mapped = Statx.of(fd);
            return mapped.inode() == found.inode() && mapped.device().equals(found.device());
        } catch (ErrnoException e) {
            // An ordinary user may not open the mapping, so only the inode number is compared.
            return e.errno() == Errno.EPERM || e.errno() == Errno.EACCES;
        } catch (IOException e) {
            return false;
        }
    }

    /** Opens a file by /proc/PID/map_files, which also works for an unlinked file. Needs CAP_CHECKPOINT_RESTORE. */
    private static Fd openByAddress(String proc, Mapping mapping) throws IOException {
        return Open.path(
                proc + "/map_files/" + Long.toHexString(mapping.start()) + "-" + Long.toHexString(mapping.end()));
    }
}
