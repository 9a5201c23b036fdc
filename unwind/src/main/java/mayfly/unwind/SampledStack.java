package mayfly.unwind;

import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * A thread's stack as it was at a sample: the part that was copied then, and above it the live memory, if nothing speaks
 * against it.
 *
 * <p>Outer frames change last. Before anything above the copy is believed, the words that the walk relied on last, its
 * outermost return addresses and saved registers within the copy, are compared with what stands there now. What comes from
 * above the copy must then still hang together frame by frame, and the walk is counted as continued.
 */
public final class SampledStack implements Memory {
    /** How many of the words read last must still be the same: those of two or three frames. */
    private static final int WITNESSES = 8;

    private enum Tail { UNTRIED, SAME, CHANGED }

    private final Memory live;
    private long[] words = new long[0];
    private long base;
    private long end;
    private final long[] witnesses = new long[WITNESSES];
    private int reads;
    private Tail tail = Tail.UNTRIED;
    private boolean tailUsed;

    /** A stack above whose copied part the given memory continues. */
    public SampledStack(Memory live) {
        this.live = live;
    }

    /**
     * Takes another sample.
     *
     * @param words the copy, used until the next call and not copied again
     * @param count how many words of it are valid
     * @param base the address of the first, the stack pointer
     */
    public void reset(long[] words, int count, long base) {
        this.words = words;
        this.base = base;
        this.end = base + 8L * count;
        reads = 0;
        tail = Tail.UNTRIED;
        tailUsed = false;
    }

    /** Whether the last walk went beyond the copied part. */
    public boolean continuedLive() {
        return tailUsed;
    }

    /** Whether the last walk wanted to go beyond the copied part and found it changed. */
    public boolean changed() {
        return tail == Tail.CHANGED;
    }

    @Override
    public long readLong(long address) throws MemoryFault {
        long at = address - base;
        if (at >= 0 && address < end - 7) {
            int word = (int) (at >> 3);
            witnesses[reads++ & WITNESSES - 1] = address;
            int shift = (int) (at & 7) << 3;
            return shift == 0 ? words[word] : words[word] >>> shift | words[word + 1] << 64 - shift;
        }
        return beyond(address);
    }

    private long beyond(long address) throws MemoryFault {
        if (address < base || end == base) {
            // Below the stack pointer nothing was copied, and what is there now is of another time.
            throw new MemoryFault(address, 8);
        }
        if (tail == Tail.UNTRIED) {
            tail = isUnchanged() ? Tail.SAME : Tail.CHANGED;
        }
        if (tail == Tail.CHANGED) {
            throw new MemoryFault(address, 8);
        }
        tailUsed = true;
        return live.readLong(address);
    }

    private boolean isUnchanged() {
        try {
            for (int i = 0; i < Math.min(reads, WITNESSES); i++) {
                long address = witnesses[i] & -8;
                if (live.readLong(address) != words[(int) (address - base >> 3)]) {
                    return false;
                }
            }
        } catch (MemoryFault e) {
            return false;
        }
        return true;
    }

    @Override
    public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
        for (int i = 0; i < length; i++) {
            long at = address + i;
            to[offset + i] = (byte) (readLong(at & -8) >>> ((at & 7) << 3));
        }
    }
}
