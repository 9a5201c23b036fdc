package mayfly.profile.capture;

/** A forward reader over the records of one block. */
final class RecordCursor {
    /** The content of a record violates the format, or is incomplete. */
    static final class BadRecord extends Exception {
        private static final long serialVersionUID = 1;

        BadRecord(String message) {
            super(message);
        }
    }

    private final byte[] bytes;
    private final int limit;
    private int at;
    private int end;

    RecordCursor(byte[] bytes, int limit) {
        this.bytes = bytes;
        this.limit = limit;
    }

    boolean hasMore() {
        return at < limit;
    }

    /** Enters the next record and returns its type. */
    int next() throws BadRecord {
        end = limit;
        int type = bytes[at++] & 0xFF;
        long length = number();
        if (length < 0 || length > limit - at) {
            throw new BadRecord("a record of " + Long.toUnsignedString(length) + " bytes with " + (limit - at)
                    + " left");
        }
        end = at + (int) length;
        return type;
    }

    /** Leaves the record, including unread fields: a later version may have added some. */
    void leave() {
        at = end;
    }

    long number() throws BadRecord {
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

    long signed() throws BadRecord {
        long raw = number();
        return raw >>> 1 ^ -(raw & 1);
    }

    /**
     * Returns a number from 0 to {@code below}, exclusive.
     *
     * @throws BadRecord if the number is out of range
     */
    int index(String what, int below) throws BadRecord {
        long value = number();
        if (value < 0 || value >= below) {
            throw new BadRecord(what + " " + Long.toUnsignedString(value) + " of " + below);
        }
        return (int) value;
    }

    String text() {
        String text = new String(bytes, at, end - at, java.nio.charset.StandardCharsets.UTF_8);
        at = end;
        return text;
    }

    int remaining() {
        return end - at;
    }
}
