package mayfly.linux.bpf;

import java.util.Arrays;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.process.Registers;
import org.jspecify.annotations.Nullable;

/**
 * The ring into which the kernel saves stack pages: for a sample whose stack is larger than the copied part, the pages
 * that the copy lacks. See the kernel's Documentation/bpf/ringbuf.rst. Belongs to one thread.
 *
 * <p>Each page is a record. The records of one sample have the same thread, registers, CPU and time, and precede the
 * sample; records of other CPUs may lie between them. Their addresses ascend or descend, with gaps where a page of the
 * stack was never touched. A record without a page marks that the ring had no room for the pages that should follow.
 */
public final class StackRing implements AutoCloseable {
    static final int PAGE = Cpu.ABI.architecture().pageSize();
    /**
     * Offsets in a record as {@link BpfFilter} writes it: u32 tid, u32 tgid, five words, the page if there is room for
     * it.
     */
    static final int ID = 0;

    static final int TIME = 8;
    static final int CPU = 16;
    static final int SP = 24;
    static final int IP = 32;
    static final int ADDRESS = 40;
    static final int WORDS = 48;
    static final int RECORD = WORDS + PAGE;
    /** The size of a record without a page. */
    static final int NO_ROOM = WORDS;
    /** Bytes reserved for records without a page. */
    static final int KEPT_BYTES = 1 << 16;

    /** See {@link BpfRing}. */
    public static final int HEADER = BpfRing.HEADER;

    public static final int BUSY = BpfRing.BUSY;
    public static final int DISCARDED = BpfRing.DISCARDED;

    /**
     * Size of the ring: room for some ten stacks that are 3,000 frames deep; at high rates for eighty, because walking
     * one takes a millisecond.
     */
    private static final int BYTES = 4 << 20;

    private static final int BYTES_AT_HIGH_RATES = 32 << 20;
    private static final long HIGH_RATE_NANOS = 4_000_000;
    /** The number of unread bytes at which the kernel wakes the reader. */
    static final int WAKEUP_BYTES = 1 << 20;

    /**
     * Upper bound on the age of a page without a sample. It exceeds the usual preemption of a virtual CPU between
     * saving a page and writing its sample.
     */
    private static final long LOST_NANOS = 200_000_000;

    private static final int MAX_CPUS = 1 << 13;

    private final BpfRing ring;
    private final StackEnds ends;
    /**
     * Upper bound on the time between a sample and its pages. One interrupt writes both: first the pages, with a clock
     * that may be slightly ahead. A virtual CPU may be preempted between the two for any length of time; pages older
     * than the CPU's previous sample belong to no sample.
     */
    private final long sameNanos;

    private long read;
    /** The time of the last sample of each CPU; pages saved up to then have been matched. */
    private long[] sampled = new long[8];
    /** The position up to which the ring was searched for pages of each CPU. */
    private long[] unseen = new long[8];
    /** The pages of the sample noted last, {@code low} up to {@code high}: ascending addresses, and their positions. */
    private final long[] addresses;

    private final long[] pages;
    private int low;
    private int high;
    private boolean lacksRoom;

    /**
     * Creates a ring at addresses of this process; {@code bytes} of data, a power of two, follow the producer's page.
     */
    StackRing(@Nullable Fd fd, StackEnds ends, long consumer, long producer, int bytes, long sameNanos) {
        this(new BpfRing(fd, consumer, producer, bytes), ends, sameNanos);
    }

    private StackRing(BpfRing ring, StackEnds ends, long sameNanos) {
        this.ring = ring;
        this.ends = ends;
        this.sameNanos = sameNanos;
        // The first page goes into the middle; the others follow upward or downward.
        addresses = new long[2 * (ring.bytes() / RECORD) + 1];
        pages = new long[addresses.length];
        clear();
    }

    /** Creates a ring for samples at the given period; null if the kernel does not support or permit it. */
    static @Nullable StackRing create(long periodNanos) {
        StackEnds ends;
        try {
            ends = StackEnds.create();
        } catch (ErrnoException e) {
            return null;
        }
        try {
            int bytes = periodNanos < HIGH_RATE_NANOS ? BYTES_AT_HIGH_RATES : BYTES;
            return new StackRing(BpfRing.create(bytes), ends, periodNanos / 2);
        } catch (ErrnoException e) {
            ends.close();
            return null;
        }
    }

    /** Returns the number of the ring's descriptor; -1 if there is none. */
    public int number() {
        return ring.number();
    }

    /** Returns the capacity in bytes. */
    int bytes() {
        return ring.bytes();
    }

    /** Returns the known ends of the threads' stacks; nothing is saved beyond them. */
    public StackEnds ends() {
        return ends;
    }

    /** Returns true if there are no unread records. */
    public boolean isEmpty() {
        return read == ring.written();
    }

    /** Returns true if more than three quarters of the ring are unread. */
    public boolean isNearlyFull() {
        return ring.written() - read > ring.bytes() / 4 * 3;
    }

    /** A sample whose stack may continue in this ring. */
    public interface Sample {
        /** Returns the CPU on which the sample was taken. */
        int cpu();

        /** Returns the time of the sample, CLOCK_MONOTONIC in ns. */
        long time();

        int pid();

        int tid();

        /** Returns true if {@link #registers} may be called. */
        boolean hasRegisters();

        Registers registers();
    }

    /** Records a sample, and finds its pages if its stack may have some. */
    public void sampled(Sample sample) {
        clear();
        int cpu = sample.cpu();
        if (cpu < 0 || cpu >= MAX_CPUS) {
            return;
        }
        if (cpu >= sampled.length) {
            int room = Math.max(cpu + 1, 2 * sampled.length);
            sampled = Arrays.copyOf(sampled, room);
            unseen = Arrays.copyOf(unseen, room);
        }
        long until = sample.time();
        if (sample.hasRegisters()) {
            until = Math.max(until, find(sample));
        }
        sampled[cpu] = until;
    }

    /**
     * Returns the time of the pages found, or {@link Long#MIN_VALUE}. The pages of a CPU are in the order of its
     * samples, so records searched for one sample are not searched again for the next.
     */
    private long find(Sample sample) {
        int cpu = sample.cpu();
        long time = Long.MIN_VALUE;
        long end = ring.written();
        long at = Math.max(read, unseen[cpu]);
        // A virtual CPU may be preempted for any length of time while it writes a record; other CPUs' records follow.
        long firstBusy = Long.MAX_VALUE;
        for (; at < end; at = ring.next(at, end)) {
            if (ring.isBusy(at)) {
                firstBusy = Math.min(firstBusy, at);
                continue;
            }
            if (!isRecord(at) || ring.word(at, CPU) != cpu || isPast(at)) {
                continue;
            }
            boolean own = isOf(sample, at);
            long saved = ring.word(at, TIME);
            if (own ? time != Long.MIN_VALUE && saved != time && saved > sample.time() : saved > sample.time()) {
                break; // pages of the next sample
            }
            if (own) {
                if (saved != time) {
                    clear(); // the pages before belong to a lost sample
                }
                time = saved;
                if (isPage(at)) {
                    add(ring.word(at, ADDRESS), at);
                } else {
                    lacksRoom = true;
                }
            }
        }
        unseen[cpu] = Math.min(at, firstBusy);
        return time;
    }

    private void clear() {
        low = pages.length / 2;
        high = low;
        lacksRoom = false;
    }

    /** Adds a page above or below the others; it cannot lie between them. */
    private void add(long address, long at) {
        if (low == high || address > addresses[high - 1]) {
            if (high < pages.length) {
                addresses[high] = address;
                pages[high++] = at;
            }
        } else if (address < addresses[low] && low > 0) {
            addresses[--low] = address;
            pages[low] = at;
        }
    }

    private boolean isOf(Sample sample, long at) {
        return ring.word(at, ID) == (sample.tid() & 0xffff_ffffL | (long) sample.pid() << 32)
                && ring.word(at, SP) == sample.registers().sp()
                && ring.word(at, IP) == sample.registers().pc()
                && ring.word(at, TIME) - sample.time() <= sameNanos;
    }

    /** Returns true if the ring was full, so pages of the sample noted last are missing. */
    public boolean lacksRoom() {
        return lacksRoom;
    }

    /** Returns true if the word at an address, a multiple of 8, was saved with the sample noted last. */
    public boolean has(long address) {
        return Arrays.binarySearch(addresses, low, high, address & -PAGE) >= 0;
    }

    /** Returns the saved word at an address for which {@link #has} is true. */
    public long word(long address) {
        int page = Arrays.binarySearch(addresses, low, high, address & -PAGE);
        return ring.word(pages[page], WORDS + (int) (address & PAGE - 1));
    }

    /** Releases to the kernel the records matched with a sample. */
    public void release() {
        releaseBefore(Long.MIN_VALUE);
    }

    /**
     * Releases to the kernel the records that have been matched with a sample or cannot be matched any more. An
     * unmatched page would otherwise block all records after it, until the ring is full.
     *
     * @param taken time up to which all samples have been noted, CLOCK_MONOTONIC in ns
     */
    public void release(long taken) {
        releaseBefore(taken - LOST_NANOS);
    }

    private void releaseBefore(long lost) {
        clear();
        long end = ring.written();
        while (read < end && !ring.isBusy(read) && (!isRecord(read) || isPast(read) || ring.word(read, TIME) < lost)) {
            read = ring.next(read, end);
        }
        ring.release(read);
    }

    private boolean isPage(long position) {
        return ring.isRecord(position, RECORD);
    }

    private boolean isRecord(long position) {
        return isPage(position) || ring.isRecord(position, NO_ROOM);
    }

    private boolean isPast(long position) {
        long cpu = ring.word(position, CPU);
        return cpu < 0 || cpu >= MAX_CPUS || cpu < sampled.length && ring.word(position, TIME) <= sampled[(int) cpu];
    }

    @Override
    public void close() {
        ring.close();
        ends.close();
    }
}
