package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** fstatfs(2): which kind of file system a file is on. */
public final class FileSystem {
    /** sizeof(struct statfs); f_type is its first field. */
    public static final int SIZE = 120;
    /** Of linux/magic.h: tmpfs, on which a file of memfd_create(2) is too. */
    public static final int TMPFS_MAGIC = 0x0102_1994;

    private FileSystem() {
    }

    /** Whether a file is in memory, so that the kernel alone answers reads. */
    public static boolean isInMemory(Fd fd) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statfs = arena.allocate(SIZE, 8);
            ErrnoException.check("fstatfs", Syscall.call(Syscall.FSTATFS, fd.number(), statfs.address(), 0));
            return statfs.get(JAVA_LONG, 0) == TMPFS_MAGIC;
        }
    }
}
