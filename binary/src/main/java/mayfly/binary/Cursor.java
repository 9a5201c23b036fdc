package mayfly.binary;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Reads a named range of bytes forward. Numbers are little-endian. A read beyond the range throws {@link BadFormat}.
 */
public final class Cursor {
    static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final String what;
    private final MemorySegment bytes;
    private final long limit;
    private long at;

    /**
     * Creates a cursor.
     *
     * @param what the name of the range, used in messages
     * @param from the position of the first byte that is read
     * @param limit the position after the last byte that may be read
     * @throws BadFormat if the range is not within the bytes
     */
    public Cursor(String what, MemorySegment bytes, long from, long limit) throws BadFormat {
        this.what = what;
        this.bytes = bytes;
        this.limit = limit;
        this.at = from;
        if (limit < 0 || limit > bytes.byteSize() || from < 0 || from > limit) {
            throw new BadFormat(what, from, "outside of its " + bytes.byteSize() + " bytes");
        }
    }

    /**
     * Creates a cursor over all bytes.
     *
     * @param what the name of the bytes, used in messages
     * @throws BadFormat never, because the range is that of the bytes
     */
    public Cursor(String what, MemorySegment bytes) throws BadFormat {
        this(what, bytes, 0, bytes.byteSize());
    }

    /** Returns the position of the next byte in the named range. */
    public long position() {
        return at;
    }

    /** Returns the number of bytes up to the limit. */
    public long remaining() {
        return limit - at;
    }

    public boolean atEnd() {
        return at >= limit;
    }

    /** Returns an exception for a problem at the current position. */
    public BadFormat bad(String problem) {
        return new BadFormat(what, at, problem);
    }

    private long take(long n) throws BadFormat {
        if (n < 0 || n > limit - at) {
            throw bad("needs " + n + " bytes, but " + (limit - at) + " are left");
        }
        long from = at;
        at += n;
        return from;
    }

    /**
     * Skips {@code n} bytes.
     *
     * @throws BadFormat if fewer bytes are left
     */
    public void skip(long n) throws BadFormat {
        take(n);
    }

    /**
     * Moves to an earlier or later position.
     *
     * @throws BadFormat if the position is negative or beyond the limit
     */
    public void seek(long position) throws BadFormat {
        if (position < 0 || position > limit) {
            throw bad("position 0x" + Long.toHexString(position) + " is out of range");
        }
        at = position;
    }

    /**
     * Reads an unsigned 8-bit number.
     *
     * @throws BadFormat if fewer bytes are left
     */
    public int u8() throws BadFormat {
        return bytes.get(ValueLayout.JAVA_BYTE, take(1)) & 0xff;
    }

    /**
     * Reads an unsigned 16-bit number.
     *
     * @throws BadFormat if fewer bytes are left
     */
    public int u16() throws BadFormat {
        return bytes.get(U16, take(2)) & 0xffff;
    }

    /**
     * Reads a signed 32-bit number.
     *
     * @throws BadFormat if fewer bytes are left
     */
    public int s32() throws BadFormat {
        return bytes.get(U32, take(4));
    }

    /**
     * Reads an unsigned 32-bit number.
     *
     * @throws BadFormat if fewer bytes are left
     */
    public long u32() throws BadFormat {
        return s32() & 0xffff_ffffL;
    }

    /**
     * Reads a 64-bit number.
     *
     * @throws BadFormat if fewer bytes are left
     */
    public long u64() throws BadFormat {
        return bytes.get(U64, take(8));
    }

    /**
     * Reads an unsigned LEB128, DWARF 5 section 7.6. Numbers of more than 64 bits are rejected.
     *
     * @throws BadFormat if the bytes end early or are malformed
     */
    public long uleb() throws BadFormat {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            int b = u8();
            if (shift == 63 && (b & 0x7e) != 0) {
                throw bad("LEB128 number beyond 64 bits");
            }
            value |= (long) (b & 0x7f) << shift;
            if ((b & 0x80) == 0) {
                return value;
            }
        }
        throw bad("LEB128 number without end");
    }

    /**
     * Reads a signed LEB128, DWARF 5 section 7.6.
     *
     * @throws BadFormat if the bytes end early or are malformed
     */
    public long sleb() throws BadFormat {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            int b = u8();
            value |= (long) (b & 0x7f) << shift;
            if ((b & 0x80) == 0) {
                return shift + 7 < 64 && (b & 0x40) != 0 ? value | -1L << (shift + 7) : value;
            }
        }
        throw bad("LEB128 number without end");
    }

    /**
     * Reads {@code length} bytes, at most {@code most}.
     *
     * @throws BadFormat if {@code length} is negative or larger than {@code most}, or fewer bytes are left
     */
    public byte[] copy(long length, int most) throws BadFormat {
        if (length < 0 || length > most) {
            throw bad(length + " bytes, at most " + most + " are accepted");
        }
        byte[] to = new byte[(int) length];
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, take(length), to, 0, to.length);
        return to;
    }

    /**
     * Reads a zero-terminated string of at most {@code most} bytes, without the zero, and decodes it as UTF-8. Invalid
     * sequences are replaced by U+FFFD.
     *
     * @throws BadFormat if there is no zero within {@code most} bytes
     */
    public String string(int most) throws BadFormat {
        long from = at;
        long end = Math.min(limit, from + most + 1L);
        while (at < end) {
            if (u8() == 0) {
                byte[] text = new byte[(int) (at - 1 - from)];
                MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, from, text, 0, text.length);
                return new String(text, StandardCharsets.UTF_8);
            }
        }
        at = from;
        throw bad("string without end, or longer than " + most + " bytes");
    }
}
