package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.abi.SystemCall;

/** close(2): a file descriptor of this process, closed once. */
public final class Fd implements AutoCloseable {
    private int number;

    public Fd(int number) {
        this.number = number;
    }

    /**
     * Returns the number of the descriptor.
     *
     * @throws IllegalStateException if it is closed
     */
    public synchronized int number() {
        if (number < 0) {
            throw new IllegalStateException("closed");
        }
        return number;
    }

    /** Returns its path in this process's /proc, by which Java can open or list its target. */
    public String path() {
        return "/proc/self/fd/" + number();
    }

    /**
     * Reads the first bytes of the file; fewer if the file is shorter.
     *
     * @throws ErrnoException if the read fails
     */
    public byte[] read(int length) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            return read(arena.allocate(length)).toArray(JAVA_BYTE);
        }
    }

    /**
     * Reads the first bytes of the file into native memory. Returns the part that was read, which is shorter if the
     * file is shorter.
     *
     * @throws ErrnoException if the read fails
     */
    public MemorySegment read(MemorySegment into) throws ErrnoException {
        long length = into.byteSize();
        long at = 0;
        while (at < length) {
            long read = ErrnoException.check(
                    "pread", Syscall.call(SystemCall.PREAD64, number(), into.address() + at, length - at, at));
            if (read == 0) {
                break;
            }
            at += read;
        }
        return into.asSlice(0, at);
    }

    @Override
    public synchronized void close() {
        if (number >= 0) {
            Syscall.call(SystemCall.CLOSE, number);
            number = -1;
        }
    }
}
