package mayfly.hotspot.tables;

/**
 * A forward reader of UNSIGNED5 numbers, see unsigned5.hpp: one to five bytes each, the low ones first; a byte below
 * 192 ends a number. Used by debug information and by line tables.
 */
public final class CompressedBytes {
    private static final int LAST_BELOW = 192;
    private static final int LG_RADIX = 6;
    private static final int MAX_BYTES = 5;

    private final byte[] bytes;
    private final int excluded;
    private int at;

    /**
     * @param at the position of the first number
     * @param excludedBytes the number of byte values that the encoding does not use, see {@link
     *     JdkRules#unsigned5ExcludedBytes}
     */
    public CompressedBytes(byte[] bytes, int at, int excludedBytes) {
        this.bytes = bytes;
        this.at = at;
        this.excluded = excludedBytes;
    }

    int position() {
        return at;
    }

    /**
     * Returns the next byte, 0 to 255.
     *
     * @throws BadMetadata at the end of the bytes
     */
    public int readByte() throws BadMetadata {
        if (at < 0 || at >= bytes.length) {
            throw new BadMetadata("compressed data ends at " + at);
        }
        return bytes[at++] & 0xff;
    }

    /**
     * Returns an unsigned number.
     *
     * @throws BadMetadata at the end of the bytes
     */
    public int readUnsigned() throws BadMetadata {
        int sum = 0;
        for (int i = 0; i < MAX_BYTES; i++) {
            int b = readByte();
            sum += b - excluded << i * LG_RADIX;
            if (b < LAST_BELOW) {
                break;
            }
        }
        return sum;
    }

    /**
     * Returns a signed number: the lowest bit is the sign.
     *
     * @throws BadMetadata at the end of the bytes
     */
    public int readSigned() throws BadMetadata {
        int value = readUnsigned();
        return value >>> 1 ^ -(value & 1);
    }
}
