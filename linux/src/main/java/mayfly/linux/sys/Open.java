package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.abi.SystemCall;

/** openat2(2): opens a path, which can be confined to a directory. */
public final class Open {
    public static final int O_PATH = 0x20_0000;
    public static final int O_CLOEXEC = 0x8_0000;
    public static final int O_DIRECTORY = Cpu.ABI.openFlags().directory();
    public static final int O_NOFOLLOW = Cpu.ABI.openFlags().noFollow();
    public static final int O_WRONLY = 1;
    public static final int O_CREAT = 0x40;
    public static final int O_EXCL = 0x80;
    public static final int O_NOCTTY = 0x100;
    public static final int O_NONBLOCK = 0x800;
    /** Includes O_DIRECTORY, so that the call fails on a kernel without O_TMPFILE. */
    public static final int O_TMPFILE = 0x40_0000 | O_DIRECTORY;
    /** The mode before the umask is applied. */
    private static final int RW_FOR_ALL = 0666;

    public static final int RESOLVE_NO_XDEV = 0x01;
    public static final int RESOLVE_NO_MAGICLINKS = 0x02;
    public static final int RESOLVE_IN_ROOT = 0x10;
    /** sizeof(struct open_how): flags, mode, resolve. */
    public static final int HOW_SIZE = 24;

    public static final int AT_FDCWD = -100;

    private Open() {}

    /**
     * Opens a descriptor that only refers to a directory (O_PATH).
     *
     * @throws ErrnoException if the call fails
     */
    public static Fd directory(String path) throws ErrnoException {
        return path(AT_FDCWD, path, O_DIRECTORY, 0);
    }

    /**
     * Opens a descriptor that only refers to the file at a path (O_PATH), without side effects.
     *
     * @throws ErrnoException if the call fails
     */
    public static Fd path(String path) throws ErrnoException {
        return path(AT_FDCWD, path, 0, 0);
    }

    /**
     * Opens a path as {@link #path} does, below another root directory: links, including absolute ones, stay below that
     * root.
     *
     * @throws ErrnoException if the call fails
     */
    public static Fd inRoot(Fd root, String path) throws ErrnoException {
        return path(root.number(), path, 0, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
    }

    /** Opens a path as {@link #inRoot} does, but does not follow a symbolic link at the path. */
    static Fd inRootItself(Fd root, String path) throws ErrnoException {
        return path(root.number(), path, O_NOFOLLOW, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
    }

    /**
     * Opens a directory inside another, to list and change it. Does not follow a symbolic link, nor enter a mount
     * (EXDEV).
     *
     * @throws ErrnoException if the call fails
     */
    public static Fd directoryItself(Fd above, String name) throws ErrnoException {
        return open(
                above.number(),
                name,
                O_DIRECTORY | O_NOFOLLOW,
                0,
                RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
    }

    /**
     * Opens a file of proc(5) for reading.
     *
     * @throws ErrnoException if the call fails
     */
    public static Fd readOnly(String path) throws ErrnoException {
        return open(AT_FDCWD, path, 0, 0, 0);
    }

    /**
     * Opens a file for reading without ever blocking: neither for the writer of a pipe (fifo(7)) nor for a lease
     * (fcntl(2)).
     *
     * @throws ErrnoException if the call fails
     */
    public static Fd readAtOnce(String path) throws ErrnoException {
        return open(AT_FDCWD, path, O_NONBLOCK | O_NOCTTY, 0, 0);
    }

    /** Opens an existing file for writing. */
    static Fd writeOnly(String path) throws ErrnoException {
        return open(AT_FDCWD, path, O_WRONLY, 0, 0);
    }

    /** Creates an unnamed regular file; needs write permission in the directory, and support by the file system. */
    static Fd nameless(String directory) throws ErrnoException {
        return open(AT_FDCWD, directory, O_TMPFILE | O_WRONLY, RW_FOR_ALL, 0);
    }

    /**
     * Creates a file of this user with the given mode; fails if the name exists, even as a symbolic link.
     *
     * @throws ErrnoException if the call fails
     */
    public static Fd create(Fd directory, String name, int mode) throws ErrnoException {
        return open(directory.number(), name, O_CREAT | O_EXCL | O_WRONLY, mode, RESOLVE_IN_ROOT);
    }

    /**
     * Creates a file as {@link #create(Fd, String, int)} does, at a path of this process, by openat(2): a filter that
     * forbids openat2 does not affect the command's own files.
     */
    static Fd create(String path, int mode) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            return new Fd((int) ErrnoException.check(
                    "open " + path,
                    Syscall.call(
                            SystemCall.OPENAT,
                            AT_FDCWD,
                            arena.allocateFrom(path).address(),
                            O_CLOEXEC | O_CREAT | O_EXCL | O_WRONLY,
                            mode)));
        }
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
            return new Fd((int) ErrnoException.check(
                    "open " + path,
                    Syscall.call(
                            SystemCall.OPENAT2,
                            directory,
                            arena.allocateFrom(path).address(),
                            how.address(),
                            HOW_SIZE)));
        }
    }
}
