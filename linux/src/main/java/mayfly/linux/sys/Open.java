package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** openat2(2): opens by path, where that is asked for without being led out of a directory. */
public final class Open {
    public static final int O_PATH = 0x20_0000;
    public static final int O_CLOEXEC = 0x8_0000;
    public static final int O_DIRECTORY = 0x1_0000;
    public static final int O_NOFOLLOW = 0x2_0000;
    public static final int O_WRONLY = 1;
    public static final int O_CREAT = 0x40;
    public static final int O_EXCL = 0x80;
    public static final int O_NOCTTY = 0x100;
    public static final int O_NONBLOCK = 0x800;
    /** Includes O_DIRECTORY, so that a kernel that does not know it fails. */
    public static final int O_TMPFILE = 0x41_0000;
    /** Less the umask. */
    private static final int RW_FOR_ALL = 0666;
    public static final int RESOLVE_NO_XDEV = 0x01;
    public static final int RESOLVE_NO_MAGICLINKS = 0x02;
    public static final int RESOLVE_IN_ROOT = 0x10;
    /** sizeof(struct open_how): flags, mode, resolve. */
    public static final int HOW_SIZE = 24;
    public static final int AT_FDCWD = -100;

    private Open() {
    }

    /** A descriptor that only names a directory. */
    public static Fd directory(String path) throws ErrnoException {
        return path(AT_FDCWD, path, O_DIRECTORY, 0);
    }

    /** A descriptor that only names what is at the path, so that opening it has no effect on anything. */
    public static Fd path(String path) throws ErrnoException {
        return path(AT_FDCWD, path, 0, 0);
    }

    /** The same for a path of another root directory: links in it, also absolute ones, stay below that root. */
    public static Fd inRoot(Fd root, String path) throws ErrnoException {
        return path(root.number(), path, 0, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
    }

    /** The same, but a symbolic link at the path itself is what it names, not where that leads to. */
    static Fd inRootItself(Fd root, String path) throws ErrnoException {
        return path(root.number(), path, O_NOFOLLOW, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
    }

    /**
     * A descriptor of a directory in another, to list it and change it; not of what a symbolic link there leads to, nor of
     * what is mounted there (EXDEV).
     */
    public static Fd directoryItself(Fd above, String name) throws ErrnoException {
        return open(above.number(), name, O_DIRECTORY | O_NOFOLLOW, 0,
                RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
    }

    /** A descriptor to read from a file of proc(5). */
    public static Fd readOnly(String path) throws ErrnoException {
        return open(AT_FDCWD, path, 0, 0, 0);
    }

    /** A descriptor to read with, which never waits: not for a writer of a pipe (fifo(7)), nor for a lease (fcntl(2)). */
    public static Fd readAtOnce(String path) throws ErrnoException {
        return open(AT_FDCWD, path, O_NONBLOCK | O_NOCTTY, 0, 0);
    }

    /** A descriptor to write to what is there; nothing is made. */
    static Fd writeOnly(String path) throws ErrnoException {
        return open(AT_FDCWD, path, O_WRONLY, 0, 0);
    }

    /** A new regular file without a name; write permission in the directory is needed, and a file system that can. */
    static Fd nameless(String directory) throws ErrnoException {
        return open(AT_FDCWD, directory, O_TMPFILE | O_WRONLY, RW_FOR_ALL, 0);
    }

    /** A new file of ours alone in a directory: fails if anything is there, a symbolic link too. */
    public static Fd create(Fd directory, String name, int mode) throws ErrnoException {
        return open(directory.number(), name, O_CREAT | O_EXCL | O_WRONLY, mode, RESOLVE_IN_ROOT);
    }

    private static Fd path(int directory, String path, int flags, int resolve) throws ErrnoException {
        return open(directory, path, O_PATH | flags, 0, resolve);
    }

    private static Fd open(int directory, String path, int flags, int mode, int resolve) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment how = arena.allocate(HOW_SIZE, 8);
            how.set(JAVA_LONG, 0, O_CLOEXEC | flags);
            how.set(JAVA_LONG, 8, mode);
            how.set(JAVA_LONG, 16, resolve);
            return new Fd((int) ErrnoException.check("open " + path, Syscall.call(Syscall.OPENAT2, directory,
                    arena.allocateFrom(path).address(), how.address(), HOW_SIZE)));
        }
    }
}
