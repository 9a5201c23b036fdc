package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.abi.SystemCall;

/** fstatfs(2): the type of a file's file system. */
public final class FileSystem {
    /** sizeof(struct statfs); f_type is its first field. */
    public static final int SIZE = 120;
    /** tmpfs, which also contains the files of memfd_create(2); see linux/magic.h. */
    public static final int TMPFS_MAGIC = 0x0102_1994;

    private FileSystem() {
    }

    /**
     * Returns true if a file is in memory. The kernel alone then serves reads.
     *
     * @throws ErrnoException if the type cannot be read
     */
    public static boolean isInMemory(Fd fd) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statfs = arena.allocate(SIZE, 8);
            ErrnoException.check("fstatfs", Syscall.call(SystemCall.FSTATFS, fd.number(), statfs.address(), 0));
            return statfs.get(JAVA_LONG, 0) == TMPFS_MAGIC;
        }
    }
}
