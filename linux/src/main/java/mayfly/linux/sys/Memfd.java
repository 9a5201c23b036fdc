package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import mayfly.linux.abi.SystemCall;

/**
 * memfd_create(2): a file that belongs to no visible file system. The kernel frees it once its last descriptor and its
 * last mapping are closed.
 */
public final class Memfd implements AutoCloseable {
    public static final int CLOEXEC = 1;
    /** sizeof(struct statfs); f_type is its first field. */
    public static final int STATFS_SIZE = 120;
    /** tmpfs, which contains these files; see linux/magic.h. */
    public static final int TMPFS_MAGIC = 0x0102_1994;

    static final int HUGETLB = 4;

    private final Fd fd;

    private Memfd(Fd fd) {
        this.fd = fd;
    }

    /**
     * Creates a file with the given content.
     *
     * @param name the name shown in maps and for descriptors, after {@code /memfd:}
     * @throws IOException if the file cannot be created
     */
    public static Memfd of(String name, byte[] content) throws IOException {
        Fd fd = create(name);
        try (OutputStream out = new FileOutputStream(fd.path())) {
            out.write(content);
            return new Memfd(fd);
        } catch (IOException e) {
            fd.close();
            throw e;
        }
    }

    /** Creates an empty file. */
    static Fd create(String name) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            return new Fd((int) ErrnoException.check(
                    "memfd_create",
                    Syscall.call(
                            SystemCall.MEMFD_CREATE, arena.allocateFrom(name).address(), CLOEXEC, 0)));
        }
    }

    /**
     * Returns true if a file is in memory, see fstatfs(2). The kernel alone then serves reads.
     *
     * @throws ErrnoException if the type of its file system cannot be read
     */
    public static boolean isInMemory(Fd file) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statfs = arena.allocate(STATFS_SIZE, 8);
            ErrnoException.check("fstatfs", Syscall.call(SystemCall.FSTATFS, file.number(), statfs.address(), 0));
            return statfs.get(JAVA_LONG, 0) == TMPFS_MAGIC;
        }
    }

    /** Returns the devices that {@code maps} shows for memory of tmpfs and hugetlbfs on the kernel's own mounts. */
    public static Set<String> devices() {
        Set<String> devices = new HashSet<>();
        try (Arena arena = Arena.ofConfined()) {
            long name = arena.allocateFrom("mayfly").address();
            for (int flags : new int[] {CLOEXEC, CLOEXEC | HUGETLB}) {
                long number = Syscall.call(SystemCall.MEMFD_CREATE, name, flags, 0);
                if (number >= 0) {
                    try (Fd fd = new Fd((int) number)) {
                        devices.add(Statx.of(fd).device());
                    } catch (ErrnoException e) {
                        // An unknown device is not trusted.
                    }
                }
            }
        }
        return devices;
    }

    /**
     * Returns the path for this process. Do not pass it to another process: the descriptor number could be reused for
     * another file.
     */
    public String path() {
        return fd.path();
    }

    @Override
    public void close() {
        fd.close();
    }
}
