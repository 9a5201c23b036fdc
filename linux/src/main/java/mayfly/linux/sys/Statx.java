package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.abi.SystemCall;

/**
 * statx(2) of a descriptor: the identity of a file.
 *
 * @param mode the type and permissions
 * @param uid the user id of the owner
 * @param device the device as /proc/PID/maps prints it
 * @param inode the inode number
 * @param size the length in bytes
 */
public record Statx(int mode, int uid, String device, long inode, long size) {
    public static final int SIZE = 256;
    public static final int UID = 20;
    public static final int MODE = 28;
    public static final int INO = 32;
    public static final int LENGTH = 40;
    public static final int DEV_MAJOR = 136;
    public static final int DEV_MINOR = 140;
    public static final int AT_EMPTY_PATH = 0x1000;
    static final int AT_STATX_FORCE_SYNC = 0x2000;
    public static final int BASIC_STATS = 0x7ff;
    private static final int S_IFMT = 0xf000;
    private static final int S_IFREG = 0x8000;

    /**
     * Returns the status of an open file.
     *
     * @throws ErrnoException if the call fails
     */
    public static Statx of(Fd fd) throws ErrnoException {
        return of(fd, 0);
    }

    /**
     * Returns the status as {@link #of(Fd)} does, but from the server of a network file system, not from the kernel's
     * cache.
     *
     * @throws ErrnoException if the call fails
     */
    public static Statx ofServer(Fd fd) throws ErrnoException {
        return of(fd, AT_STATX_FORCE_SYNC);
    }

    private static Statx of(Fd fd, int flags) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment s = arena.allocate(SIZE, 8);
            ErrnoException.check(
                    "statx",
                    Syscall.call(
                            SystemCall.STATX,
                            fd.number(),
                            arena.allocateFrom("").address(),
                            AT_EMPTY_PATH | flags,
                            BASIC_STATS,
                            s.address(),
                            0));
            return new Statx(
                    s.get(JAVA_SHORT, MODE) & 0xffff,
                    s.get(JAVA_INT, UID),
                    hex(s.get(JAVA_INT, DEV_MAJOR)) + ":" + hex(s.get(JAVA_INT, DEV_MINOR)),
                    s.get(JAVA_LONG, INO),
                    s.get(JAVA_LONG, LENGTH));
        }
    }

    public boolean isRegular() {
        return (mode & S_IFMT) == S_IFREG;
    }

    private static String hex(int number) {
        String digits = Integer.toHexString(number);
        return digits.length() < 2 ? "0" + digits : digits;
    }
}
