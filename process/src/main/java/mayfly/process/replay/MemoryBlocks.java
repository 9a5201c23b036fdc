package mayfly.process.replay;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * Blocks of 64 bytes of a process's memory by their number, which is the address divided by 64, and blocks that fault.
 */
final class MemoryBlocks implements Memory {
    static final int BLOCK = 64;
    private static final int SHIFT = 6;

    private final SortedMap<Long, byte[]> blocks = new TreeMap<>();
    private final SortedSet<Long> faults = new TreeSet<>();

    static long number(long address) {
        return address >>> SHIFT;
    }

    static long address(long number) {
        return number << SHIFT;
    }

    boolean has(long number) {
        return blocks.containsKey(number);
    }

    boolean hasAll(long first, long last) {
        for (long number = first; number <= last; number++) {
            if (!has(number)) {
                return false;
            }
        }
        return true;
    }

    boolean faults(long number) {
        return faults.contains(number);
    }

    void put(long number, byte[] block) {
        faults.remove(number);
        blocks.put(number, block);
    }

    void putFault(long number) {
        blocks.remove(number);
        faults.add(number);
    }

    SortedMap<Long, byte[]> blocks() {
        return blocks;
    }

    SortedSet<Long> faults() {
        return faults;
    }

    @Override
    public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
        for (int done = 0; done < length; ) {
            long at = address + done;
            byte[] block = blocks.get(number(at));
            if (block == null) {
                throw new MemoryFault(address, length);
            }
            int in = (int) at & BLOCK - 1;
            int n = Math.min(BLOCK - in, length - done);
            System.arraycopy(block, in, to, offset + done, n);
            done += n;
        }
    }
}
