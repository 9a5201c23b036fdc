package mayfly.linux.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.VarHandle;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Syscall;
import org.jspecify.annotations.Nullable;

/**
 * A ring into which a program in the kernel writes records: see the kernel's Documentation/bpf/ringbuf.rst. A position
 * counts all bytes written so far. Belongs to one thread.
 */
final class BpfRing implements AutoCloseable {
    /** Size of the struct bpf_ringbuf_hdr before each record: u32 length with two flags, u32 used by the kernel. */
    static final int HEADER = 8;

    static final int BUSY = 1 << 31;
    static final int DISCARDED = 1 << 30;

    private static final int PAGE = Cpu.ABI.architecture().pageSize();
    private static final int PROT_READ = 1;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    private static final VarHandle LONG = JAVA_LONG.varHandle();
    private static final VarHandle INT = JAVA_INT.varHandle();

    private final @Nullable Fd fd;
    /** The page with the read position of this process, and the page with the write position of the kernel. */
    private final long consumer;

    private final long producer;
    private final int bytes;

    /**
     * Creates a ring at addresses of this process; {@code bytes} of data, a power of two, follow the producer's page.
     */
    BpfRing(@Nullable Fd fd, long consumer, long producer, int bytes) {
        this.fd = fd;
        this.consumer = consumer;
        this.producer = producer;
        this.bytes = bytes;
    }

    /**
     * Creates a ring in the kernel.
     *
     * @param bytes its capacity, a power of two
     * @throws ErrnoException if the kernel does not support or permit it
     */
    static BpfRing create(int bytes) throws ErrnoException {
        Fd fd = Bpf.ring(bytes);
        long consumer = 0;
        try {
            consumer = map(fd, PAGE, PROT_READ_WRITE, 0);
            return new BpfRing(fd, consumer, map(fd, PAGE + bytes, PROT_READ, PAGE), bytes);
        } catch (ErrnoException e) {
            if (consumer != 0) {
                Syscall.call(SystemCall.MUNMAP, consumer, PAGE, 0);
            }
            fd.close();
            throw e;
        }
    }

    private static long map(Fd fd, int length, int protection, int offset) throws ErrnoException {
        return ErrnoException.check(
                "mmap of a bpf ring",
                Syscall.call(SystemCall.MMAP, 0, length, protection, MAP_SHARED, fd.number(), offset));
    }

    /** Returns the number of the ring's descriptor; -1 if there is none. */
    int number() {
        return fd == null ? -1 : fd.number();
    }

    /** Returns the capacity in bytes. */
    int bytes() {
        return bytes;
    }

    /** Returns the position after the last record, which the kernel may still be writing. */
    long written() {
        return (long) LONG.getAcquire(Syscall.ALL, producer);
    }

    /**
     * Returns the position of the next record. The kernel writes a record's length before it counts the record as
     * written.
     *
     * @param end a result of {@link #written}
     */
    long next(long position, long end) {
        long length = HEADER + (header(position) & ~(BUSY | DISCARDED)) + 7L & -8;
        // An impossible length invalidates the rest of the data.
        return length > end - position ? end : position + length;
    }

    /** Returns true if the kernel is still writing a record. */
    boolean isBusy(long position) {
        return (header(position) & BUSY) != 0;
    }

    /** Returns true if a record is complete and has this length. */
    boolean isRecord(long position, int length) {
        return header(position) == length;
    }

    private int header(long position) {
        return (int) INT.getAcquire(Syscall.ALL, data(position));
    }

    /** Returns a word of a record. */
    long word(long position, int offset) {
        return Syscall.ALL.get(JAVA_LONG, data(position + HEADER + offset));
    }

    private long data(long position) {
        return producer + PAGE + (position & bytes - 1);
    }

    /** Releases the records before a position to the kernel. */
    void release(long position) {
        LONG.setRelease(Syscall.ALL, consumer, position);
    }

    @Override
    public void close() {
        if (fd != null) {
            Syscall.call(SystemCall.MUNMAP, consumer, PAGE, 0);
            Syscall.call(SystemCall.MUNMAP, producer, PAGE + (long) bytes, 0);
            fd.close();
        }
    }
}
