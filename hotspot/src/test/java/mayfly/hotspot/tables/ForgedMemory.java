package mayfly.hotspot.tables;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/** A process's memory created by a test: a few mapped regions of bytes. The addresses between them cannot be read. */
public final class ForgedMemory implements Memory {

    /** A mapped range, allocated from its start. */
    public static final class Region {
        public final long base;
        public final ByteBuffer bytes;
        private int used;

        private Region(long base, int size) {
            this.base = base;
            this.bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        }

        public long end() {
            return base + bytes.capacity();
        }

        /** Allocates a range of {@code size} bytes, aligned as malloc aligns. */
        public long allocate(int size) {
            long address = base + used;
            used += size + 15 & -16;
            if (used > bytes.capacity()) {
                throw new IllegalStateException("the forged region is full");
            }
            return address;
        }
    }

    private final List<Region> regions = new ArrayList<>();
    /** The addresses of reads since {@link #record}, used to choose words to damage. */
    private List<Long> reads = List.of();

    private boolean recording;
    private long watched;
    private int watchedReads;
    private IntConsumer watcher;
    /** The number of bytes read so far. */
    public long bytesRead;

    public Region map(long base, int size) {
        Region region = new Region(base, size);
        regions.add(region);
        return region;
    }

    public void unmap(Region region) {
        regions.remove(region);
    }

    /** Runs an action after each read of an address, with the number of such reads so far. */
    public void onRead(long address, IntConsumer then) {
        watched = address;
        watchedReads = 0;
        watcher = then;
    }

    public void record() {
        reads = new ArrayList<>();
        recording = true;
    }

    public List<Long> recorded() {
        recording = false;
        return reads;
    }

    @Override
    public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
        bytesRead += length;
        if (recording) {
            reads.add(address);
        }
        Region region = find(address, length);
        if (region == null) {
            throw new MemoryFault(address, length);
        }
        region.bytes.get((int) (address - region.base), to, offset, length);
        if (watcher != null && address == watched) {
            watcher.accept(++watchedReads);
        }
    }

    private Region find(long address, int length) {
        for (Region region : regions) {
            long at = address - region.base;
            if (at >= 0 && at <= region.bytes.capacity() - length) {
                return region;
            }
        }
        return null;
    }

    public boolean isMapped(long address, int length) {
        return find(address, length) != null;
    }

    private Region writable(long address, int length) {
        Region region = find(address, length);
        if (region == null) {
            throw new IllegalArgumentException("no forged memory at 0x" + Long.toHexString(address));
        }
        return region;
    }

    public void putLong(long address, long value) {
        Region region = writable(address, 8);
        region.bytes.putLong((int) (address - region.base), value);
    }

    public void putInt(long address, int value) {
        Region region = writable(address, 4);
        region.bytes.putInt((int) (address - region.base), value);
    }

    public void putShort(long address, int value) {
        Region region = writable(address, 2);
        region.bytes.putShort((int) (address - region.base), (short) value);
    }

    public void putByte(long address, int value) {
        Region region = writable(address, 1);
        region.bytes.put((int) (address - region.base), (byte) value);
    }

    public void put(long address, byte[] bytes) {
        Region region = writable(address, bytes.length);
        region.bytes.put((int) (address - region.base), bytes);
    }

    /** Allocates a C string in the region. */
    public long string(Region region, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        long address = region.allocate(bytes.length + 1);
        put(address, bytes);
        putByte(address + bytes.length, 0);
        return address;
    }
}
