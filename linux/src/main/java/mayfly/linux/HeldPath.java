package mayfly.linux;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What was at a path of another process when it was looked at, held by a descriptor (O_PATH): opening it does nothing to it. */
public final class HeldPath implements AutoCloseable {
    private static final int S_IFMT = 0xf000;
    private static final int S_IFSOCK = 0xc000;

    private final Fd fd;
    private final Statx stat;

    private HeldPath(Fd fd, Statx stat) {
        this.fd = fd;
        this.stat = stat;
    }

    static HeldPath open(Fd root, String path) throws IOException {
        Fd fd;
        try {
            fd = Open.inRoot(root, path);
        } catch (ErrnoException e) {
            throw e.errno() == Errno.ENOENT ? new NoSuchFileException(path) : e;
        }
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

    public boolean isSocket() {
        return (stat.mode() & S_IFMT) == S_IFSOCK;
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
