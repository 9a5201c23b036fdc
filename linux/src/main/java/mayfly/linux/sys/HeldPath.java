package mayfly.linux.sys;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The file found at a path of another process, held by a descriptor (O_PATH): opening it has no side effects. */
public final class HeldPath implements AutoCloseable {
    private static final int S_IFMT = 0xf000;
    private static final int S_IFREG = 0x8000;
    private static final int S_IFSOCK = 0xc000;
    private static final int S_IFDIR = 0x4000;
    private static final int OWNER_WRITES = 0200;
    private static final int GROUP_WRITES = 0020;
    private static final int OTHERS_WRITE = 0002;

    private final Fd fd;
    private final Statx stat;

    private HeldPath(Fd fd, Statx stat) {
        this.fd = fd;
        this.stat = stat;
    }

    /**
     * Opens a path below a root directory. Symbolic links are resolved below that root.
     *
     * @throws NoSuchFileException if there is no such file
     * @throws IOException if it cannot be opened
     */
    public static HeldPath open(Fd root, String path) throws IOException {
        try {
            return of(Open.inRoot(root, path));
        } catch (ErrnoException e) {
            throw e.errno() == Errno.ENOENT ? new NoSuchFileException(path) : e;
        }
    }

    /**
     * Opens a path as {@link #open} does, but does not follow a symbolic link at the path.
     *
     * @throws IOException if the path cannot be opened
     */
    public static HeldPath openItself(Fd root, String path) throws IOException {
        try {
            return of(Open.inRootItself(root, path));
        } catch (ErrnoException e) {
            throw e.errno() == Errno.ENOENT ? new NoSuchFileException(path) : e;
        }
    }

    private static HeldPath of(Fd fd) throws IOException {
        try {
            return new HeldPath(fd, Statx.of(fd));
        } catch (IOException e) {
            fd.close();
            throw e;
        }
    }

    /**
     * Opens the target of a link of proc(5), which may be outside of every root directory.
     *
     * @throws IOException if it cannot be opened
     */
    public static HeldPath behind(String link) throws IOException {
        Fd fd = Open.path(link);
        try {
            return new HeldPath(fd, Statx.of(fd));
        } catch (IOException e) {
            fd.close();
            throw e;
        }
    }

    /** Returns the path by which this process reaches the file until this is closed. */
    public Path path() {
        return Path.of(fd.path());
    }

    /**
     * Returns the first bytes of a regular file.
     *
     * @throws IOException if it is not a regular file, or may not be read
     */
    public byte[] bytes(int most) throws IOException {
        if (!isRegularFile()) {
            throw new IOException("it is not a regular file");
        }
        try (Fd file = Open.readAtOnce(fd.path())) {
            return file.read(most);
        }
    }

    public boolean isRegularFile() {
        return (stat.mode() & S_IFMT) == S_IFREG;
    }

    public boolean isSocket() {
        return (stat.mode() & S_IFMT) == S_IFSOCK;
    }

    /**
     * Returns true if a user other than root may have write permission; the user is assumed to be a member of the
     * file's group.
     */
    public boolean mayBeWrittenBy(int user) {
        return (stat.mode() & (GROUP_WRITES | OTHERS_WRITE)) != 0
                || owner() == user && (stat.mode() & OWNER_WRITES) != 0;
    }

    public boolean isDirectory() {
        return (stat.mode() & S_IFMT) == S_IFDIR;
    }

    /** Returns the path by which a child process reaches the file until this is closed. */
    public Path pathForChildren() {
        return Path.of("/proc/" + ProcessHandle.current().pid() + "/fd/" + fd.number());
    }

    /** Returns the user id of the owner. */
    public int owner() {
        return stat.uid();
    }

    @Override
    public void close() {
        fd.close();
    }
}
