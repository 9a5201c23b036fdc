package mayfly.process;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import mayfly.arch.CodeSource;

/**
 * The memory of a target process. Numbers are little-endian.
 *
 * <p>Addresses are unsigned 64-bit. A read is all or nothing: a range that cannot be read completely results in a
 * {@link MemoryFault}, never in zeros. Implementations are confined to one thread.
 */
public interface Memory extends CodeSource<MemoryFault> {
    /**
     * A divisor of the page size of every 64-bit CPU, in bytes. A block that does not cross a multiple of it lies in
     * one page, so the block can be read completely or not at all.
     */
    int MIN_PAGE = 4096;

    /** Copies {@code length} bytes at {@code address} to {@code to[offset…]}. */
    @Override
    void read(long address, byte[] to, int offset, int length) throws MemoryFault;

    /**
     * Copies {@code count} 64-bit numbers, which start at {@code address}, to the start of {@code to}.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    default void readLongs(long address, long[] to, int count) throws MemoryFault {
        byte[] bytes = new byte[8 * count];
        read(address, bytes, 0, bytes.length);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(to, 0, count);
    }

    /**
     * Copies the 64-bit number at each of the first {@code count} addresses to {@code to}, in the same order. If this
     * throws, the contents of {@code to} are undefined.
     *
     * @throws MemoryFault if one of them cannot be read
     */
    default void gather(long[] addresses, int count, long[] to) throws MemoryFault {
        for (int i = 0; i < count; i++) {
            to[i] = readLong(addresses[i]);
        }
    }

    /**
     * Returns the byte at {@code address}, 0 to 255.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    default int readByte(long address) throws MemoryFault {
        byte[] b = new byte[1];
        read(address, b, 0, 1);
        return b[0] & 0xff;
    }

    /**
     * Returns the unsigned 16-bit number at {@code address}.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    default int readShort(long address) throws MemoryFault {
        byte[] b = new byte[2];
        read(address, b, 0, 2);
        return (b[0] & 0xff) | (b[1] & 0xff) << 8;
    }

    /**
     * Returns the 32-bit number at {@code address}.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    default int readInt(long address) throws MemoryFault {
        byte[] b = new byte[4];
        read(address, b, 0, 4);
        return (b[0] & 0xff) | (b[1] & 0xff) << 8 | (b[2] & 0xff) << 16 | b[3] << 24;
    }

    /**
     * Returns the 64-bit number at {@code address}.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    default long readLong(long address) throws MemoryFault {
        byte[] b = new byte[8];
        read(address, b, 0, 8);
        long v = 0;
        for (int i = 7; i >= 0; i--) {
            v = v << 8 | (b[i] & 0xff);
        }
        return v;
    }
}
