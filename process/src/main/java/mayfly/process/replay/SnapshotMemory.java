package mayfly.process.replay;

import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * A memory that records all reads, in whole blocks of 64 bytes, and all faults.
 *
 * <p>A repeated read returns the recorded data, so that a walk reads exactly the data that a replay will read.
 */
public final class SnapshotMemory implements Memory {
    private static final int BLOCK = MemoryBlocks.BLOCK;

    private final Memory source;
    private final MemoryBlocks kept;

    SnapshotMemory(Memory source, MemoryBlocks kept) {
        this.source = source;
        this.kept = kept;
    }

    @Override
    public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
        if (length <= 0) {
            return;
        }
        long first = MemoryBlocks.number(address);
        long last = MemoryBlocks.number(address + length - 1);
        if (last < first) {
            throw new MemoryFault(address, length);
        }
        if (!kept.hasAll(first, last) && !fetchAll(first, last)) {
            for (long number = first; number <= last; number++) {
                fetch(number);
            }
        }
        kept.read(address, to, offset, length);
    }

    /** Fetches the blocks in one read, so that they are from one moment. */
    private boolean fetchAll(long first, long last) {
        byte[] bytes = new byte[(int) (last - first + 1) * BLOCK];
        try {
            source.read(MemoryBlocks.address(first), bytes, 0, bytes.length);
        } catch (MemoryFault e) {
            return false;
        }
        for (long number = first; number <= last; number++) {
            if (!kept.has(number)) {
                kept.put(
                        number,
                        java.util.Arrays.copyOfRange(
                                bytes, (int) (number - first) * BLOCK, (int) (number - first + 1) * BLOCK));
            }
        }
        return true;
    }

    private void fetch(long number) throws MemoryFault {
        if (kept.has(number)) {
            return;
        }
        if (!kept.faults(number)) {
            byte[] block = new byte[BLOCK];
            try {
                source.read(MemoryBlocks.address(number), block, 0, BLOCK);
                kept.put(number, block);
                return;
            } catch (MemoryFault e) {
                kept.putFault(number);
            }
        }
        throw new MemoryFault(MemoryBlocks.address(number), BLOCK);
    }
}
