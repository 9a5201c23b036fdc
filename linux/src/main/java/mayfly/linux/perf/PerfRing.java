package mayfly.linux.perf;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Syscall;

/** A ring of records shared with the kernel, see perf_event_open(2), "MMAP layout". Belongs to one thread. */
public final class PerfRing implements AutoCloseable {
    /** Offsets in struct perf_event_mmap_page. */
    public static final int DATA_HEAD = 1024;

    public static final int DATA_TAIL = 1032;
    private static final int PAGE = Cpu.ABI.architecture().pageSize();
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    private static final int HEADER = 8;
    private static final VarHandle LONG = JAVA_LONG.varHandle();

    private final long base;
    private final long mask;
    /** Buffer for a record that wraps around the end of the ring. */
    private final MemorySegment scratch = Arena.ofAuto().allocate(1 << 16, 8);
    /** The read position, the position reported to the kernel as read, and the end of the records to read. */
    private long tail;

    private long freed;
    private long head;
    /** The end of the records that {@link #lookAhead} has passed to a reader. */
    private long looked;

    private boolean closed;

    /** Creates a ring at an address of this process: a control page, then {@code bytes} of data, a power of two. */
    PerfRing(long base, int bytes) {
        this.base = base;
        this.mask = bytes - 1;
    }

    /** Maps a ring with {@code bytes} of data, a power of two. Fails with EPERM above the limit of locked memory. */
    static PerfRing map(int fd, int bytes) throws ErrnoException {
        long base = ErrnoException.check(
                "mmap of a perf ring of " + (bytes >> 10) + " KiB",
                Syscall.call(SystemCall.MMAP, 0, bytes + (long) PAGE, PROT_READ_WRITE, MAP_SHARED, fd, 0));
        return new PerfRing(base, bytes);
    }

    /** Returns the data size in bytes. */
    int bytes() {
        return (int) mask + 1;
    }

    /** Returns true if more than three quarters of the ring are unread. */
    boolean isNearlyFull() {
        return (long) LONG.getAcquire(Syscall.ALL, base + DATA_HEAD) - Syscall.ALL.get(JAVA_LONG, base + DATA_TAIL)
                > (mask >> 2) * 3;
    }

    /** Receives one record: its address in this process, its type, misc bits and size. */
    interface Reader {
        void record(long address, int type, int misc, int size);
    }

    /** Marks the records present now; {@link #next} delivers them one by one. */
    void begin() {
        tail = Syscall.ALL.get(JAVA_LONG, base + DATA_TAIL);
        freed = tail;
        head = (long) LONG.getAcquire(Syscall.ALL, base + DATA_HEAD);
    }

    /** Returns true if records marked by {@link #begin()} remain. */
    boolean hasNext() {
        return tail != head;
    }

    /**
     * Delivers a record and frees its room.
     *
     * @return false if its size is invalid; the remaining records are then skipped
     */
    boolean next(Reader reader) {
        // Records are multiples of 8 bytes, so a header never wraps.
        long header = Syscall.ALL.get(JAVA_LONG, base + PAGE + (tail & mask));
        int size = (int) (header >>> 48);
        boolean sound = size >= HEADER && (size & 7) == 0 && size <= head - tail;
        if (sound) {
            reader.record(contiguous(tail, size), (int) header, (int) (header >>> 32) & 0xffff, size);
            tail += size;
        } else {
            tail = head;
        }
        // Free the ring in steps, because the kernel keeps writing during the drain.
        if (tail == head || tail - freed > mask >> 3) {
            LONG.setRelease(Syscall.ALL, base + DATA_TAIL, tail);
            freed = tail;
        }
        return sound;
    }

    /**
     * Passes the unread records to a reader, except for those passed before: each record is passed once, however often
     * this is called.
     */
    void lookAhead(Reader reader) {
        long end = (long) LONG.getAcquire(Syscall.ALL, base + DATA_HEAD);
        long at = Math.max(tail, looked);
        while (at != end) {
            long header = Syscall.ALL.get(JAVA_LONG, base + PAGE + (at & mask));
            int size = (int) (header >>> 48);
            if (size < HEADER || (size & 7) != 0 || size > end - at) {
                break;
            }
            reader.record(contiguous(at, size), (int) header, (int) (header >>> 32) & 0xffff, size);
            at += size;
        }
        looked = at;
    }

    private long contiguous(long position, int size) {
        long at = position & mask;
        long data = base + PAGE;
        long first = mask + 1 - at;
        if (first >= size) {
            return data + at;
        }
        MemorySegment.copy(Syscall.ALL, data + at, scratch, 0, first);
        MemorySegment.copy(Syscall.ALL, data, scratch, first, size - first);
        return scratch.address();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            Syscall.call(SystemCall.MUNMAP, base, mask + 1 + PAGE, 0);
        }
    }
}
