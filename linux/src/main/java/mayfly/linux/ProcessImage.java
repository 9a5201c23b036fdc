package mayfly.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Syscall;

/**
 * What a process runs until execve(2) replaces it: its address space, held by an open /proc/PID/maps.
 *
 * <p>The process's id, its start time, its pidfd and often its program's path outlive an execve. Its address space
 * never does, not even if the same program is executed again; the open file does not keep it.
 */
public final class ProcessImage implements AutoCloseable {
    /** What replaced it may have been replaced too while we looked. */
    private static final int LOOKS = 10;

    private final String path;
    private final Fd maps;
    private boolean replaced;

    private ProcessImage(String path, Fd maps) {
        this.path = path;
        this.maps = maps;
    }

    /** What the process runs now. */
    static ProcessImage of(LiveProcess process) throws ErrnoException {
        return open(process.proc() + "/maps");
    }

    private static ProcessImage open(String path) throws ErrnoException {
        return new ProcessImage(path, Open.readOnly(path));
    }

    /**
     * Whether the process runs something else by now. A process that ends does not; it is asked again, because its
     * address space goes first. The process must still be open.
     */
    public boolean isReplaced() {
        for (int i = 0; i < LOOKS && !replaced && !isThere(); i++) {
            try (ProcessImage now = open(path)) {
                replaced = now.isThere();
            } catch (ErrnoException e) {
                // A program with more rights than ours may not be opened; an ended process is said not to be there.
                replaced = e.errno() == Errno.EACCES || e.errno() == Errno.EPERM;
            }
        }
        return replaced;
    }

    /** The file is empty once the address space is gone, and unreadable once the process is. */
    private boolean isThere() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment octet = arena.allocate(1);
            long read = Syscall.call(Syscall.PREAD64, maps.number(), octet.address(), 1, 0);
            return read != 0 && read != -Errno.ESRCH;
        }
    }

    @Override
    public void close() {
        maps.close();
    }
}
