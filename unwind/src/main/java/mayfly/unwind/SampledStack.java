package mayfly.unwind;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * A thread's stack at the time of a sample: the copied part, above it the words that were saved at the same time, and
 * above those the live memory, if the copied part of the stack has not changed.
 *
 * <p>A thread changes its outer frames last. After each read of live memory, up to a page of the copy, next to the
 * words that the walk read last, is compared with the current memory. A difference ends the walk. Equality does not
 * prove that the stack is unchanged, because the frames of two calls of a recursion can contain the same words. A walk
 * that used live memory is therefore unproven: see {@link #continuedLive()}.
 */
final class SampledStack implements Memory {
    /** The number of most recently read words that must be unchanged. They are from one or two frames. */
    private static final int WITNESSES = 4;
    /** The number of bytes below the highest of these words that must also be unchanged. */
    private static final int COMPARED_BYTES = 4096;

    /** The number of words by which the used part of the copy grows. Most walks need no more. */
    private static final int STEP_WORDS = 128;

    /** The result of the last comparison; {@code UNREADABLE} if the compared words cannot be read any more. */
    private enum Tail {
        UNTRIED,
        SAME,
        CHANGED,
        UNREADABLE
    }

    /** The number of words of the live stack read at once, so that adjacent words are from one moment. */
    private static final int CHUNK_WORDS = 4096;

    private static final int MIN_CHUNK = 512;

    private final Memory live;
    private final int pageSize;
    private final byte[] chunkBytes = new byte[8 * CHUNK_WORDS];
    private final byte[] comparedBytes = new byte[COMPARED_BYTES];
    private final LongBuffer compared =
            ByteBuffer.wrap(comparedBytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
    private final LongBuffer chunk =
            ByteBuffer.wrap(chunkBytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
    private long chunkStart;
    private long chunkEnd;
    private StackSnapshot.Words source = count -> new long[0];
    private long[] words = new long[0];
    private int valid;
    private long base;
    private long end;
    private final long[] witnesses = new long[WITNESSES];
    private int reads;
    private Tail tail = Tail.UNTRIED;
    private boolean tailUsed;

    /**
     * Creates a stack that continues in the given memory. That memory must not be cached, because it changes all the
     * time.
     */
    SampledStack(Memory live, int pageSize) {
        this.live = live;
        this.pageSize = pageSize;
    }

    /**
     * Sets the sample.
     *
     * @param source the copy, which must remain valid until the next call
     * @param count the number of its words
     * @param base the address of the first word, the stack pointer
     */
    void reset(StackSnapshot.Words source, int count, long base) {
        this.source = source;
        this.valid = 0;
        this.base = base;
        this.end = base + 8L * count;
        reads = 0;
        chunkEnd = 0;
        tail = Tail.UNTRIED;
        tailUsed = false;
    }

    /**
     * Returns true if the last walk used words beyond the copied and saved ones. They were read later, so they may
     * belong to another call, or to another thread.
     */
    boolean continuedLive() {
        return tailUsed;
    }

    /** Returns true if the last walk tried to read beyond the copied and saved words. */
    boolean wentBeyond() {
        return tail != Tail.UNTRIED;
    }

    /**
     * Returns true if the last walk tried to read beyond the copied and saved words, and words that it had read differ
     * in the current memory.
     */
    boolean changed() {
        return tail == Tail.CHANGED;
    }

    /**
     * Returns true if the last walk tried to read beyond the copied and saved words, and words that it had read cannot
     * be read any more.
     */
    boolean vanished() {
        return tail == Tail.UNREADABLE;
    }

    @Override
    public long readLong(long address) throws MemoryFault {
        long at = address - base;
        if (at >= 0 && at <= end - base - 8) {
            int word = (int) (at >> 3);
            witnesses[reads++ & WITNESSES - 1] = base + 8L * word;
            int shift = (int) (at & 7) << 3;
            return shift == 0 ? copied(word) : copied(word) >>> shift | words[word + 1] << 64 - shift;
        }
        return beyond(address);
    }

    private void extend(int wanted) {
        valid = (int) Math.min(end - base >> 3, Math.max(wanted, valid + STEP_WORDS));
        words = source.atLeast(valid);
    }

    private long beyond(long address) throws MemoryFault {
        if (address >= base && isSaved(address)) {
            return savedAt(address);
        }
        if (address < base || end == base && reads == 0) {
            // Memory below the stack pointer was not copied and has changed since. Memory above it is read only after a
            // word of the sample, which can be compared.
            throw new MemoryFault(address, 8);
        }
        if (tail == Tail.CHANGED || tail == Tail.UNREADABLE) {
            throw new MemoryFault(address, 8);
        }
        long value;
        if (address < chunkStart || address > chunkEnd - 8) {
            value = fetched(address);
            tail = compare();
            if (tail != Tail.SAME) {
                chunkEnd = 0;
                throw new MemoryFault(address, 8);
            }
        } else {
            value = inChunk(address);
        }
        tailUsed = true;
        return value;
    }

    /**
     * Reads a word and the words after it. They are read before the copy is compared with the current memory, and used
     * only if it is unchanged.
     */
    private long fetched(long address) throws MemoryFault {
        try {
            fetch(address & -8);
            return address > chunkEnd - 8 ? live.readLong(address) : inChunk(address);
        } catch (MemoryFault e) {
            chunkEnd = 0;
            tail = compare();
            throw e;
        }
    }

    private long inChunk(long address) {
        int word = (int) (address - chunkStart >> 3);
        int shift = (int) (address & 7) << 3;
        return shift == 0 ? chunk.get(word) : chunk.get(word) >>> shift | chunk.get(word + 1) << 64 - shift;
    }

    private boolean isSaved(long address) {
        long aligned = address & -8;
        return aligned >= end && source.hasSaved(aligned) && (aligned == address || source.hasSaved(aligned + 8));
    }

    private long savedAt(long address) {
        long aligned = address & -8;
        witnesses[reads++ & WITNESSES - 1] = aligned;
        int shift = (int) (address & 7) << 3;
        long word = source.saved(aligned);
        return shift == 0 ? word : word >>> shift | source.saved(aligned + 8) << 64 - shift;
    }

    /** Reads a chunk, or a smaller one near the end of the stack. */
    private void fetch(long address) throws MemoryFault {
        for (int words = CHUNK_WORDS; ; words /= 2) {
            int length = 8 * words;
            if (words <= MIN_CHUNK) {
                length = (int) Math.min(length, pageSize - (address & pageSize - 1));
            }
            try {
                live.read(address, chunkBytes, 0, length);
                chunkStart = address;
                chunkEnd = address + length;
                return;
            } catch (MemoryFault e) {
                if (words <= MIN_CHUNK) {
                    throw e;
                }
            }
        }
    }

    private Tail compare() {
        try {
            return isUnchanged() ? Tail.SAME : Tail.CHANGED;
        } catch (MemoryFault e) {
            return Tail.UNREADABLE;
        }
    }

    private boolean isUnchanged() throws MemoryFault {
        long highest = 0;
        for (int i = 0; i < Math.min(reads, WITNESSES); i++) {
            if (live.readLong(witnesses[i]) != then(witnesses[i])) {
                return false;
            }
            highest = Math.max(highest, witnesses[i]);
        }
        return reads == 0 || isUnchangedBelow(highest);
    }

    /**
     * Compares the words below an address. The half next to the stack pointer is excluded: the leaf and its callers
     * write to their own frames while they run.
     */
    private boolean isUnchangedBelow(long highest) throws MemoryFault {
        int count = (int) Math.min(highest - base >> 4, COMPARED_BYTES / 8);
        long lowest = highest - 8L * count;
        if (count == 0) {
            return true;
        }
        live.read(lowest, comparedBytes, 0, 8 * count);
        for (int i = 0; i < count; i++) {
            long address = lowest + 8L * i;
            if (isKnown(address) && compared.get(i) != then(address)) {
                return false;
            }
        }
        return true;
    }

    private boolean isKnown(long address) {
        return address < end ? (address - base & 7) == 0 : source.hasSaved(address);
    }

    /** Returns a word as it was at the time of the sample. */
    private long then(long address) {
        return address < end ? copied((int) (address - base >> 3)) : source.saved(address);
    }

    private long copied(int word) {
        if (word + 1 >= valid) {
            extend(word + 2);
        }
        return words[word];
    }

    @Override
    public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
        for (int i = 0; i < length; i++) {
            long at = address + i;
            to[offset + i] = (byte) (readLong(at & -8) >>> ((at & 7) << 3));
        }
    }
}
