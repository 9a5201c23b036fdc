package mayfly.process;

import java.util.Arrays;

/**
 * A memory that reads whole pages of another one and caches up to 4,096 of them until {@link #forget()}. A full cache
 * is emptied before another page is added.
 *
 * <p>One system call fetches a page; each of the many small reads of a stack walk then costs an array access. The
 * target keeps running between two calls of {@link #forget()}, so a cached page may be older than a page read for the
 * first time. A walk must validate the data that it reads, with or without a cache.
 */
public final class PagedMemory implements Memory {
    private static final int PAGE = MIN_PAGE;
    private static final int PAGE_SHIFT = Integer.numberOfTrailingZeros(PAGE);
    private static final int LIMIT = 4096;
    private static final int SPARES = 512;

    /** The content of an empty slot. */
    private static final long[] NONE = new long[0];

    private final Memory source;
    private long[] numbers = new long[256];
    private long[][] pages = slots(256);
    /** The slots that contain a page. {@link #forget} clears only these. */
    private int[] filled = new int[128];

    private int size;
    /** Arrays of dropped pages, reused for later pages, so that a long recording produces little garbage. */
    private final long[][] spare = new long[SPARES][];

    private int spares;
    private long lastNumber = -1;
    private long[] lastPage = NONE;
    private long reads;

    public PagedMemory(Memory source) {
        this.source = source;
    }

    /** Drops every page, so that the next read sees the target's current memory. */
    public void forget() {
        for (int i = 0; i < size; i++) {
            if (spares < SPARES) {
                spare[spares++] = pages[filled[i]];
            }
            pages[filled[i]] = NONE;
        }
        size = 0;
        lastNumber = -1;
    }

    /** Returns the number of pages fetched from the source so far. */
    public long pageReads() {
        return reads;
    }

    @Override
    public long readLong(long address) throws MemoryFault {
        int in = (int) address & (PAGE - 1);
        if ((in & 7) == 0) {
            return page(address)[in >> 3];
        }
        if (in <= PAGE - 8) {
            long[] page = page(address);
            int shift = (in & 7) << 3;
            return page[in >> 3] >>> shift | page[(in >> 3) + 1] << (64 - shift);
        }
        return (readInt(address) & 0xffff_ffffL) | (long) readInt(address + 4) << 32;
    }

    @Override
    public int readInt(long address) throws MemoryFault {
        int in = (int) address & (PAGE - 1);
        if ((in & 7) <= 4) {
            return (int) (page(address)[in >> 3] >>> ((in & 7) << 3));
        }
        return readShort(address) | readShort(address + 2) << 16;
    }

    @Override
    public int readShort(long address) throws MemoryFault {
        int in = (int) address & (PAGE - 1);
        if ((in & 7) <= 6) {
            return (int) (page(address)[in >> 3] >>> ((in & 7) << 3)) & 0xffff;
        }
        return readByte(address) | readByte(address + 1) << 8;
    }

    @Override
    public int readByte(long address) throws MemoryFault {
        int in = (int) address & (PAGE - 1);
        return (int) (page(address)[in >> 3] >>> ((in & 7) << 3)) & 0xff;
    }

    @Override
    public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
        if (length > PAGE) {
            source.read(address, to, offset, length);
            return;
        }
        for (int done = 0; done < length; ) {
            int in = (int) (address + done) & PAGE - 1;
            long[] page = page(address + done);
            for (int end = Math.min(PAGE, in + length - done); in < end; in++) {
                to[offset + done++] = (byte) (page[in >> 3] >>> ((in & 7) << 3));
            }
        }
    }

    /** Reads a page or more from the source without the cache. */
    @Override
    public void readLongs(long address, long[] to, int count) throws MemoryFault {
        if (count >= PAGE / 8) {
            source.readLongs(address, to, count);
        } else {
            Memory.super.readLongs(address, to, count);
        }
    }

    /**
     * Reads from the source without the cache, which is cheaper for words scattered over many pages.
     *
     * @throws MemoryFault if one of the addresses cannot be read
     */
    @Override
    public void gather(long[] addresses, int count, long[] to) throws MemoryFault {
        source.gather(addresses, count, to);
    }

    private long[] page(long address) throws MemoryFault {
        long number = address >>> PAGE_SHIFT;
        if (number == lastNumber) {
            return lastPage;
        }
        int mask = numbers.length - 1;
        int slot = slot(number, mask);
        while (pages[slot] != NONE) {
            if (numbers[slot] == number) {
                lastNumber = number;
                lastPage = pages[slot];
                return lastPage;
            }
            slot = slot + 1 & mask;
        }
        long[] page = fetch(number);
        if (size >= LIMIT) {
            forget();
        } else if (size * 2 >= numbers.length) {
            grow();
        }
        put(number, page);
        lastNumber = number;
        lastPage = page;
        return page;
    }

    private long[] fetch(long number) throws MemoryFault {
        long[] page = spares > 0 ? spare[--spares] : new long[PAGE / 8];
        try {
            source.readLongs(number << PAGE_SHIFT, page, PAGE / 8);
        } catch (MemoryFault e) {
            if (spares < SPARES) {
                spare[spares++] = page;
            }
            throw e;
        }
        reads++;
        return page;
    }

    private void put(long number, long[] page) {
        int mask = numbers.length - 1;
        int slot = slot(number, mask);
        while (pages[slot] != NONE) {
            slot = slot + 1 & mask;
        }
        numbers[slot] = number;
        pages[slot] = page;
        filled[size++] = slot;
    }

    private void grow() {
        long[] oldNumbers = numbers;
        long[][] oldPages = pages;
        numbers = new long[oldNumbers.length * 2];
        pages = slots(oldPages.length * 2);
        filled = new int[oldPages.length];
        size = 0;
        for (int i = 0; i < oldPages.length; i++) {
            if (oldPages[i] != NONE) {
                put(oldNumbers[i], oldPages[i]);
            }
        }
    }

    private static long[][] slots(int count) {
        long[][] slots = new long[count][];
        Arrays.fill(slots, NONE);
        return slots;
    }

    private static int slot(long number, int mask) {
        long h = number * 0x9E3779B97F4A7C15L;
        return (int) (h >>> 40) & mask;
    }
}
