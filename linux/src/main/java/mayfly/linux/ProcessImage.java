package mayfly.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Syscall;

/**
 * The program image of a process between two calls of execve(2): its address space, identified by an open
 * /proc/PID/maps.
 *
 * <p>The process id, the start time, the pidfd and often the program's path survive an execve. The address space never
 * does, not even if the same program is executed again. The open file does not keep it alive.
 */
public final class ProcessImage implements AutoCloseable {
    /** Upper bound on the attempts to read a process that is replaced again in between. */
    private static final int LOOKS = 10;

    private final String path;
    private final Fd maps;
    private boolean replaced;

    private ProcessImage(String path, Fd maps) {
        this.path = path;
        this.maps = maps;
    }

    /** Returns the current image of a process. */
    static ProcessImage of(LiveProcess process) throws ErrnoException {
        return open(process.proc() + "/maps");
    }

    private static ProcessImage open(String path) throws ErrnoException {
        return new ProcessImage(path, Open.readOnly(path));
    }

    /**
     * Returns true if the process now runs another image. Returns false for a process that is ending: its
     * address space disappears before the process does, so the maps are opened again to distinguish the two cases. The
     * process must still be open.
     */
    public boolean isReplaced() {
        for (int i = 0; i < LOOKS && !replaced && !isThere(); i++) {
            try (ProcessImage now = open(path)) {
                replaced = now.isThere();
            } catch (ErrnoException e) {
                // A program with more privileges than this process may not be opened; for an ended process the error is
                // "no such process".
                replaced = e.errno() == Errno.EACCES || e.errno() == Errno.EPERM;
            }
        }
        return replaced;
    }

    /**
     * Returns true while the image exists: the file is empty once the address space has been freed, and unreadable once
     * the process has ended.
     */
    private boolean isThere() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment octet = arena.allocate(1);
            long read = Syscall.call(SystemCall.PREAD64, maps.number(), octet.address(), 1, 0);
            return read != 0 && read != -Errno.ESRCH;
        }
    }

    @Override
    public void close() {
        maps.close();
    }
}
