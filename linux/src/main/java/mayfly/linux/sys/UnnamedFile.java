package mayfly.linux.sys;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A regular file that has no name until it is given one: O_TMPFILE of open(2), linkat(2). The kernel removes a nameless
 * file with the last descriptor of it, so that nothing of it stays however we end.
 */
public final class UnnamedFile implements AutoCloseable {
    public static final int AT_SYMLINK_FOLLOW = 0x400;

    private final Fd fd;

    private UnnamedFile(Fd fd) {
        this.fd = fd;
    }

    /**
     * A new, empty file in the file system of a directory, readable and writable as the umask says.
     *
     * @throws IOException if there can be none, also because the file system knows no such files
     */
    public static UnnamedFile in(Path directory) throws IOException {
        return new UnnamedFile(Open.nameless(directory.toString()));
    }

    /**
     * Removes a file's only name. The file stays until this is closed, and can be given no other name. For file systems
     * without O_TMPFILE.
     *
     * @throws IOException if the file cannot be opened or its name cannot be removed
     */
    public static UnnamedFile unlink(Path file) throws IOException {
        UnnamedFile held = of(file);
        try {
            Files.delete(file);
            return held;
        } catch (IOException e) {
            held.close();
            throw e;
        }
    }

    /** Opens a file, which stays also once its last name has been removed. It can be given no other name then. */
    static UnnamedFile of(Path file) throws IOException {
        return new UnnamedFile(Open.readOnly(file.toString()));
    }

    /** Through which it is opened for reading or writing, until it is closed. */
    public Path path() {
        return Path.of(fd.path());
    }

    /**
     * Gives it its name in one step.
     *
     * @throws FileAlreadyExistsException if the name is taken
     */
    public void link(Path name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            // The link of a descriptor in /proc is followed to the file itself; AT_EMPTY_PATH needs a capability.
            long result = Syscall.call(Syscall.LINKAT, Open.AT_FDCWD, arena.allocateFrom(fd.path()).address(),
                    Open.AT_FDCWD, arena.allocateFrom(name.toString()).address(), AT_SYMLINK_FOLLOW, 0);
            switch ((int) -result) {
                case 0 -> { }
                case Errno.EEXIST -> throw new FileAlreadyExistsException(name.toString());
                case Errno.ENOENT -> throw new NoSuchFileException(name.toString());
                case Errno.EACCES -> throw new AccessDeniedException(name.toString());
                default -> throw new ErrnoException("link " + name, (int) -result);
            }
        }
    }

    @Override
    public void close() {
        fd.close();
    }
}
