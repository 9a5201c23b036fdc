package mayfly.linux.sys;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.util.HashSet;
import java.util.Set;

/** memfd_create(2): a file without a place in any file system. It is gone with its last descriptor and mapping. */
public final class Memfd implements AutoCloseable {
    public static final int CLOEXEC = 1;
    static final int HUGETLB = 4;

    private final Fd fd;

    private Memfd(Fd fd) {
        this.fd = fd;
    }

    /**
     * A new one with this content.
     *
     * @param name what maps and descriptors that refer to it are called, behind {@code /memfd:}
     */
    public static Memfd of(String name, byte[] content) throws IOException {
        Fd fd;
        try (Arena arena = Arena.ofConfined()) {
            fd = new Fd((int) ErrnoException.check("memfd_create",
                    Syscall.call(Syscall.MEMFD_CREATE, arena.allocateFrom(name).address(), CLOEXEC, 0)));
        }
        try (OutputStream out = new FileOutputStream(fd.path())) {
            out.write(content);
            return new Memfd(fd);
        } catch (IOException e) {
            fd.close();
            throw e;
        }
    }

    /** The devices that memory of tmpfs and of hugetlbfs has in maps, where the kernel itself has mounted them. */
    public static Set<String> devices() {
        Set<String> devices = new HashSet<>();
        try (Arena arena = Arena.ofConfined()) {
            long name = arena.allocateFrom("mayfly").address();
            for (int flags : new int[] {CLOEXEC, CLOEXEC | HUGETLB}) {
                long number = Syscall.call(Syscall.MEMFD_CREATE, name, flags, 0);
                if (number >= 0) {
                    try (Fd fd = new Fd((int) number)) {
                        devices.add(Statx.of(fd).device());
                    } catch (ErrnoException e) {
                        // A device that is not known is not trusted.
                    }
                }
            }
        }
        return devices;
    }

    /** Its path for this process. No other process is given it: the number could come to be a descriptor of another file. */
    public String path() {
        return fd.path();
    }

    @Override
    public void close() {
        fd.close();
    }
}
