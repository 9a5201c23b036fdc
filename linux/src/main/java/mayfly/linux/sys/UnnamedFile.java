package mayfly.linux.sys;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A regular file without a name until it is given one: O_TMPFILE of open(2), linkat(2). The kernel removes an unnamed
 * file with its last descriptor, so nothing remains of it however this process ends.
 */
public final class UnnamedFile implements AutoCloseable {
    public static final int AT_SYMLINK_FOLLOW = 0x400;

    private final Fd fd;

    private UnnamedFile(Fd fd) {
        this.fd = fd;
    }

    /**
     * Creates an empty file in the file system of a directory, with permissions according to the umask.
     *
     * @throws IOException if it cannot be created, for example because the file system does not support such files
     */
    public static UnnamedFile in(Path directory) throws IOException {
        return new UnnamedFile(Open.nameless(directory.toString()));
    }

    /**
     * Removes a file's only name. The file exists until this is closed, and cannot get another name. For file systems
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

    /**
     * Opens a file, which then exists even after its last name has been removed. It cannot get another name after
     * that.
     */
    static UnnamedFile of(Path file) throws IOException {
        return new UnnamedFile(Open.readOnly(file.toString()));
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
