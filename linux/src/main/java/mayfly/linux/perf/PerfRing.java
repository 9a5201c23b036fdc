package mayfly.linux.perf;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Syscall;

/**
 * The ring of records that the kernel shares, see perf_event_open(2), "MMAP layout". Belongs to one thread.
 */
public final class PerfRing implements AutoCloseable {
    /** Offsets in struct perf_event_mmap_page. */
    public static final int DATA_HEAD = 1024;
    public static final int DATA_TAIL = 1032;
    private static final int PAGE = 4096;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    private static final int HEADER = 8;
    private static final VarHandle LONG = JAVA_LONG.varHandle();

    private final long base;
    private final long mask;
    /** Where a record that wraps around the end is put together. */
    private final MemorySegment scratch = Arena.ofAuto().allocate(1 << 16, 8);
    /** How far the reading has come, how far that is told to the kernel, and how far it will go. */
    private long tail;
    private long freed;
    private long head;
    /** The end of the records that were looked at ahead of their reading. */
    private long looked;
    private boolean closed;

    /** A ring at an address of this process: a control page, then so many bytes, a power of two. */
    PerfRing(long base, int bytes) {
        this.base = base;
        this.mask = bytes - 1;
    }

    /** Maps a ring of so many bytes, a power of two; fails with EPERM above the locked memory allowance. */
    static PerfRing map(int fd, int bytes) throws ErrnoException {
        long base = ErrnoException.check("mmap of a perf ring of " + (bytes >> 10) + " KiB", Syscall.call(Syscall.MMAP,
                0, bytes + (long) PAGE, PROT_READ_WRITE, MAP_SHARED, fd, 0));
        return new PerfRing(base, bytes);
    }

    /** How many bytes of records it holds. */
    int bytes() {
        return (int) mask + 1;
    }

    /** Whether more than three quarters of it wait to be read. */
    boolean isNearlyFull() {
        return (long) LONG.getAcquire(Syscall.ALL, base + DATA_HEAD) - Syscall.ALL.get(JAVA_LONG, base + DATA_TAIL)
                > (mask >> 2) * 3;
    }

    /** Receives one record: its address in our memory, its type, misc bits and size. */
    interface Reader {
        void record(long address, int type, int misc, int size);
    }

    /** Turns to what is in the ring now: {@link #next} hands it over, record by record. */
    void begin() {
        tail = Syscall.ALL.get(JAVA_LONG, base + DATA_TAIL);
        freed = tail;
        head = (long) LONG.getAcquire(Syscall.ALL, base + DATA_HEAD);
    }

    /** Whether there is a record left of what there was at the beginning. */
    boolean hasNext() {
        return tail != head;
    }

    /**
     * Hands over a record and frees its room.
     *
     * @return false if its size made no sense; the rest is then skipped
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
        // Free in steps: the kernel goes on writing while we read.
        if (tail == head || tail - freed > mask >> 3) {
            LONG.setRelease(Syscall.ALL, base + DATA_TAIL, tail);
            freed = tail;
        }
        return sound;
    }

    /**
     * Shows the records that are in the ring now and wait to be handed over, except for those that were shown before: each is
     * looked at once, however often this is called.
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
            Syscall.call(Syscall.MUNMAP, base, mask + 1 + PAGE, 0);
        }
    }
}
