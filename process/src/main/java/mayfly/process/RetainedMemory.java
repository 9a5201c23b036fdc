package mayfly.process;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A memory that copies pages of another one when they are first read, and retains them. After {@link #seal()} it is a
 * copy of what was read before, and reads nothing more: a target whose threads are stopped is copied, released, and
 * decoded from the copy.
 *
 * <p>Pages are copied in groups, because objects that are read together are often in adjacent pages. The number of
 * bytes has an upper bound. A read beyond it, and one of an absent page after the seal, is a {@link MemoryFault}.
 */
public final class RetainedMemory implements Memory {
    private static final int PAGE = MIN_PAGE;
    private static final int PAGE_SHIFT = Integer.numberOfTrailingZeros(PAGE);
    private static final int PAGE_WORDS = PAGE / 8;
    /** The number of pages that are copied together. */
    private static final int GROUP = 16;
    /** The number of pages in one array: a collector does not copy so large an array. */
    private static final int SLAB = 2048;

    private static final int NONE = -1;

    private final Memory source;
    private final int most;
    private final long[] group = new long[GROUP * PAGE_WORDS];
    /** The pages, in the order of their copies. */
    private final List<long[]> slabs = new ArrayList<>();

    private int size;
    /** A hash table: the numbers of pages, and the position of each page; {@link #NONE} in an empty slot. */
    private long[] numbers = new long[1024];

    private int[] positions = slots(1024);
    private boolean sealed;
    private boolean full;
    /** The page of the last read: its number, its array, and the position of its first word. */
    private long lastNumber = -1;

    private long[] last = group;
    private int lastStart;

    /**
     * Creates a memory without pages.
     *
     * @param maxBytes upper bound on the retained bytes
     */
    public RetainedMemory(Memory source, long maxBytes) {
        this.source = source;
        this.most = (int) Math.min(Integer.MAX_VALUE / 4, maxBytes / PAGE);
    }

    /** Begins a new copy: drops all pages, but not the memory for them. */
    public void clear() {
        Arrays.fill(positions, NONE);
        size = 0;
        lastNumber = -1;
        sealed = false;
        full = false;
    }

    /** Ends the copying. */
    public void seal() {
        sealed = true;
    }

    /** Returns true if a page was not copied because the upper bound had been reached. */
    public boolean isFull() {
        return full;
    }

    /** Returns the number of retained bytes. */
    public long retainedBytes() {
        return (long) size * PAGE;
    }

    /**
     * Copies the pages of a range.
     *
     * @throws MemoryFault if one of them cannot be read
     */
    public void retain(long address, long length) throws MemoryFault {
        for (long at = address & -PAGE; at - (address + length) < 0; at += PAGE) {
            page(at);
        }
    }

    @Override
    public long readLong(long address) throws MemoryFault {
        int in = (int) address & PAGE - 1;
        if ((in & 7) == 0) {
            page(address);
            return last[lastStart + (in >> 3)];
        }
        return readInt(address) & 0xffff_ffffL | (long) readInt(address + 4) << 32;
    }

    @Override
    public int readInt(long address) throws MemoryFault {
        int in = (int) address & PAGE - 1;
        if ((in & 7) <= 4) {
            page(address);
            return (int) (last[lastStart + (in >> 3)] >>> ((in & 7) << 3));
        }
        return readShort(address) | readShort(address + 2) << 16;
    }

    @Override
    public int readShort(long address) throws MemoryFault {
        return readByte(address) | readByte(address + 1) << 8;
    }

    @Override
    public int readByte(long address) throws MemoryFault {
        int in = (int) address & PAGE - 1;
        page(address);
        return (int) (last[lastStart + (in >> 3)] >>> ((in & 7) << 3)) & 0xff;
    }

    @Override
    public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
        for (int done = 0; done < length; ) {
            int in = (int) (address + done) & PAGE - 1;
            page(address + done);
            for (int end = Math.min(PAGE, in + length - done); in < end; in++) {
                to[offset + done++] = (byte) (last[lastStart + (in >> 3)] >>> ((in & 7) << 3));
            }
        }
    }

    @Override
    public void readLongs(long address, long[] to, int count) throws MemoryFault {
        if ((address & 7) != 0) {
            Memory.super.readLongs(address, to, count);
            return;
        }
        for (int done = 0; done < count; ) {
            long at = address + 8L * done;
            int in = (int) at & PAGE - 1;
            int length = Math.min(PAGE_WORDS - (in >> 3), count - done);
            page(at);
            System.arraycopy(last, lastStart + (in >> 3), to, done, length);
            done += length;
        }
    }

    /** Makes the page of an address the last one. */
    private void page(long address) throws MemoryFault {
        long number = address >>> PAGE_SHIFT;
        if (number == lastNumber) {
            return;
        }
        int position = positions[find(number)];
        if (position == NONE) {
            copy(number);
            position = positions[find(number)];
        }
        lastNumber = number;
        last = slabs.get(position / SLAB);
        lastStart = position % SLAB * PAGE_WORDS;
    }

    /** Copies a page, with the others of its group if all of them are readable. */
    private void copy(long number) throws MemoryFault {
        if (sealed || size >= most) {
            full |= !sealed;
            throw new MemoryFault(number << PAGE_SHIFT, PAGE);
        }
        // The rest of a nearly full memory is for pages that are needed.
        if (size > most / 2 || size + GROUP > most || !copyGroup(number & -GROUP)) {
            source.readLongs(number << PAGE_SHIFT, group, PAGE_WORDS);
            put(number, 0);
        }
    }

    private boolean copyGroup(long first) {
        try {
            source.readLongs(first << PAGE_SHIFT, group, GROUP * PAGE_WORDS);
        } catch (MemoryFault e) {
            return false;
        }
        for (int i = 0; i < GROUP; i++) {
            if (positions[find(first + i)] == NONE) {
                put(first + i, i * PAGE_WORDS);
            }
        }
        return true;
    }

    /** Adds a page, whose words begin at a position of the group. */
    private void put(long number, int at) {
        if (size == slabs.size() * SLAB) {
            slabs.add(new long[SLAB * PAGE_WORDS]);
        }
        System.arraycopy(group, at, slabs.get(size / SLAB), size % SLAB * PAGE_WORDS, PAGE_WORDS);
        int slot = find(number);
        numbers[slot] = number;
        positions[slot] = size++;
        if (size * 2 >= numbers.length) {
            grow();
        }
    }

    /** Returns the slot of a page, or the empty one in which it belongs. */
    private int find(long number) {
        int mask = numbers.length - 1;
        int slot = (int) (number * 0x9E3779B97F4A7C15L >>> 40) & mask;
        while (positions[slot] != NONE && numbers[slot] != number) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow() {
        long[] oldNumbers = numbers;
        int[] oldPositions = positions;
        numbers = new long[oldNumbers.length * 2];
        positions = slots(oldPositions.length * 2);
        for (int i = 0; i < oldPositions.length; i++) {
            if (oldPositions[i] != NONE) {
                int slot = find(oldNumbers[i]);
                numbers[slot] = oldNumbers[i];
                positions[slot] = oldPositions[i];
            }
        }
    }

    private static int[] slots(int count) {
        int[] slots = new int[count];
        Arrays.fill(slots, NONE);
        return slots;
    }
}
