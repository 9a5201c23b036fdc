package mayfly.hotspot.tables;

import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * The target's memory at this moment, bypassing the cache of an epoch: for data that moves.
 *
 * <p>It reads whole aligned words, which never extend into a page without requested bytes.
 */
public final class UncachedMemory implements Memory {
    private final Memory source;

    public UncachedMemory(Memory source) {
        this.source = source;
    }

    @Override
    public void gather(long[] addresses, int count, long[] to) throws MemoryFault {
        source.gather(addresses, count, to);
    }

    @Override
    public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
        if (length == 0) {
            return;
        }
        long first = address & -8;
        int count = (int) ((address + length - 1 - first >>> 3) + 1);
        long[] addresses = new long[count];
        for (int i = 0; i < count; i++) {
            addresses[i] = first + 8L * i;
        }
        long[] words = new long[count];
        source.gather(addresses, count, words);
        int skipped = (int) (address - first);
        for (int i = 0; i < length; i++) {
            int at = skipped + i;
            to[offset + i] = (byte) (words[at >> 3] >>> ((at & 7) << 3));
        }
    }
}
