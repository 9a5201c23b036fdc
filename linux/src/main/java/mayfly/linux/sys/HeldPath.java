package mayfly.linux.sys;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What was at a path of another process when it was looked at, held by a descriptor (O_PATH): opening it does nothing to it. */
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

    public static HeldPath open(Fd root, String path) throws IOException {
        try {
            return of(Open.inRoot(root, path));
        } catch (ErrnoException e) {
            throw e.errno() == Errno.ENOENT ? new NoSuchFileException(path) : e;
        }
    }

    /** The same, but a symbolic link at the path is held itself. */
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

    /** What a link of proc(5) leads to, which need not be below the root directory of anybody. */
    public static HeldPath behind(String link) throws IOException {
        Fd fd = Open.path(link);
        try {
            return new HeldPath(fd, Statx.of(fd));
        } catch (IOException e) {
            fd.close();
            throw e;
        }
    }

    /** Through which this process reaches it until it is closed. */
    public Path path() {
        return Path.of(fd.path());
    }

    /**
     * The first bytes of a regular file.
     *
     * @throws IOException if it is something else, or may not be read
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

    /** Whether a user who is not root could have the right to write to it; its group is taken for one of theirs. */
    public boolean mayBeWrittenBy(int user) {
        return (stat.mode() & (GROUP_WRITES | OTHERS_WRITE)) != 0 || owner() == user && (stat.mode() & OWNER_WRITES) != 0;
    }

    public boolean isDirectory() {
        return (stat.mode() & S_IFMT) == S_IFDIR;
    }

    /** By which a child of ours reaches it while it is held. */
    public Path pathForChildren() {
        return Path.of("/proc/" + ProcessHandle.current().pid() + "/fd/" + fd.number());
    }

    /** User id of its owner. */
    public int owner() {
        return stat.uid();
    }

    @Override
    public void close() {
        fd.close();
    }
}
