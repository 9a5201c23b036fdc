package mayfly.linux.sys;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import mayfly.linux.abi.SystemCall;

/**
 * A new regular file, held by its descriptor whatever happens to its name. Usually it has no name until it is linked:
 * O_TMPFILE of open(2), linkat(2). The kernel removes a file without a name when its last descriptor is closed, so
 * nothing remains of it however this process ends.
 */
public final class NewFile implements AutoCloseable {
    public static final int AT_SYMLINK_FOLLOW = 0x400;
    private static final int OWNER_ONLY = 0600;
    /** Texts of strerror(3) that users see. */
    private static final Map<Integer, String> REASONS = Map.of(
            Errno.ENOSPC,
            "No space left on device",
            Errno.EROFS,
            "Read-only file system",
            Errno.ENAMETOOLONG,
            "File name too long",
            Errno.EDQUOT,
            "Disk quota exceeded");

    private final Fd fd;

    private NewFile(Fd fd) {
        this.fd = fd;
    }

    /**
     * Creates an empty file in the file system of a directory, with permissions according to the umask.
     *
     * @throws IOException if it cannot be created, for example because the file system does not support such files
     */
    public static NewFile unnamed(Path directory) throws IOException {
        return new NewFile(Open.nameless(directory.toString()));
    }

    /**
     * Creates an empty file that has a name from the start and that only its owner may read. For file systems without
     * O_TMPFILE.
     *
     * @throws FileAlreadyExistsException if the name is taken, even by a symbolic link
     * @throws IOException if it cannot be created
     */
    public static NewFile named(Path name) throws IOException {
        try {
            return new NewFile(Open.create(name.toString(), OWNER_ONLY));
        } catch (ErrnoException e) {
            throw failure(name, e.errno());
        }
    }

    /**
     * Creates an empty file in memory, for a process that may write to no directory. It cannot be linked.
     *
     * @param name the name that the kernel shows for its descriptor
     * @throws IOException if it cannot be created
     */
    public static NewFile inMemory(String name) throws IOException {
        return new NewFile(Memfd.create(name));
    }

    /** Returns the path by which the file is opened for reading or writing, until this is closed. */
    public Path path() {
        return Path.of(fd.path());
    }

    /**
     * Gives the file its name, atomically.
     *
     * @throws FileAlreadyExistsException if the name is taken
     * @throws IOException if the file cannot be named
     */
    public void link(Path name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            // The link in /proc is resolved to the file itself; AT_EMPTY_PATH would need a capability.
            long result = Syscall.call(
                    SystemCall.LINKAT,
                    Open.AT_FDCWD,
                    arena.allocateFrom(fd.path()).address(),
                    Open.AT_FDCWD,
                    arena.allocateFrom(name.toString()).address(),
                    AT_SYMLINK_FOLLOW,
                    0);
            if (result != 0) {
                throw failure(name, (int) -result);
            }
        }
    }

    private static IOException failure(Path name, int errno) {
        return switch (errno) {
            case Errno.EEXIST -> new FileAlreadyExistsException(name.toString());
            case Errno.ENOENT -> new NoSuchFileException(name.toString());
            case Errno.EACCES -> new AccessDeniedException(name.toString());
            default -> new FileSystemException(name.toString(), null, REASONS.getOrDefault(errno, Errno.name(errno)));
        };
    }

    /**
     * Changes the owner of the file, which needs privileges.
     *
     * @throws IOException if this process or the file system does not permit it
     */
    public void giveTo(int user) throws IOException {
        ErrnoException.check("fchown", Syscall.call(SystemCall.FCHOWN, fd.number(), user, -1));
    }

    @Override
    public void close() {
        fd.close();
    }
}
