package mayfly.profile.capture.records;

/** Forward reader over the records of one block. */
public final class RecordCursor {
    /** Thrown if the contents of a record do not follow the format, or are incomplete. */
    public static final class BadRecord extends Exception {
        private static final long serialVersionUID = 1;

        public BadRecord(String message) {
            super(message);
        }
    }

    private final byte[] bytes;
    private final int limit;
    private int at;
    private int end;

    public RecordCursor(byte[] bytes, int limit) {
        this.bytes = bytes;
        this.limit = limit;
    }

    public boolean hasMore() {
        return at < limit;
    }

    /**
     * Moves to the start of the next record. Returns its type.
     *
     * @throws BadRecord if the record is longer than the rest of the block, or its length is malformed
     */
    public int next() throws BadRecord {
        end = limit;
        int type = bytes[at++] & 0xFF;
        long length = number();
        if (length < 0 || length > limit - at) {
            throw new BadRecord(
                    "a record of " + Long.toUnsignedString(length) + " bytes with " + (limit - at) + " left");
        }
        end = at + (int) length;
        return type;
    }

    /** Moves to the end of the record. Skips fields that were not read, because a later version may add fields. */
    public void leave() {
        at = end;
    }

    /**
     * Reads an unsigned number: LEB128, 7 bits in each byte, lowest bits first.
     *
     * @throws BadRecord if the record ends before the number, or the number has more than 64 bits
     */
    public long number() throws BadRecord {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at >= end) {
                throw new BadRecord("a number that is cut off");
            }
            byte b = bytes[at++];
            value |= (b & 0x7FL) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new BadRecord("a number of more than 64 bits");
    }

    /**
     * Reads a signed number: an unsigned one whose lowest bit is the sign (zigzag).
     *
     * @throws BadRecord if the record ends before the number, or the number has more than 64 bits
     */
    public long signed() throws BadRecord {
        long raw = number();
        return raw >>> 1 ^ -(raw & 1);
    }

    /**
     * Reads a number from 0 to {@code below}, exclusive.
     *
     * @param what the object that the number denotes, for the message
     * @throws BadRecord if the number is malformed or not in this range
     */
    public int index(String what, int below) throws BadRecord {
        long value = number();
        if (value < 0 || value >= below) {
            throw new BadRecord(what + " " + Long.toUnsignedString(value) + " is not below " + below);
        }
        return (int) value;
    }

    String text() {
        String text = new String(bytes, at, end - at, java.nio.charset.StandardCharsets.UTF_8);
        at = end;
        return text;
    }

    public int remaining() {
        return end - at;
    }
}
