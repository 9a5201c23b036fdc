package mayfly.linux;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
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

    static HeldPath open(Fd root, String path) throws IOException {
        try {
            return of(Open.inRoot(root, path));
        } catch (ErrnoException e) {
            throw e.errno() == Errno.ENOENT ? new NoSuchFileException(path) : e;
        }
    }

    /** The same, but a symbolic link at the path is held itself. */
    static HeldPath openItself(Fd root, String path) throws IOException {
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
    static HeldPath behind(String link) throws IOException {
        Fd fd = Open.path(link);
        try {
            return new HeldPath(fd, Statx.of(fd));
        } catch (IOException e) {
            fd.close();
            throw e;
        }
    }

    /** What has this name in a directory that is held; a symbolic link is held itself. */
    public HeldPath child(String name) throws IOException {
        return openItself(fd, name);
    }

    /**
     * Removes a directory that is held, and the socket in it of this name. Nothing is removed if the directory is not called
     * {@code own} any more, or if something else is in it.
     *
     * @throws IOException if that is so, or this user may not
     */
    public void removeWithSocket(String own, String name) throws IOException {
        String[] names = new File(fd.path()).list();
        if (names == null || names.length > 1 || names.length == 1 && !names[0].equals(name)) {
            throw new IOException(own + " has something else in it");
        }
        try (Fd above = Open.above(fd); HeldPath there = openItself(above, own); Arena arena = Arena.ofConfined()) {
            if (there.stat.inode() != stat.inode() || !there.stat.device().equals(stat.device())) {
                throw new IOException(own + " is another directory");
            }
            if (names.length == 1) {
                try (HeldPath socket = child(name)) {
                    if (!socket.isSocket()) {
                        throw new IOException(own + "/" + name + " is not a socket");
                    }
                }
                ErrnoException.check("unlink " + name,
                        Syscall.call(Syscall.UNLINKAT, fd.number(), arena.allocateFrom(name).address(), 0));
            }
            ErrnoException.check("rmdir " + own, Syscall.call(Syscall.UNLINKAT, above.number(),
                    arena.allocateFrom(own).address(), PlacedFile.AT_REMOVEDIR));
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
