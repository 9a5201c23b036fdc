package mayfly.report.pprof;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The fields of one protocol buffers message, in its wire format. A field of zero is omitted, as in proto3. */
final class ProtoMessage {
    private static final int VARINT = 0;
    private static final int BYTES = 2;

    private byte[] bytes;
    private int length;

    ProtoMessage() {
        this(64);
    }

    /**
     * Creates an empty message.
     *
     * @param room the initial capacity in bytes
     */
    ProtoMessage(int room) {
        bytes = new byte[room];
    }

    ProtoMessage number(int field, long value) {
        if (value != 0) {
            varint(field << 3 | VARINT);
            varint(value);
        }
        return this;
    }

    ProtoMessage message(int field, ProtoMessage value) {
        return bytes(field, value.bytes, value.length);
    }

    /** Writes a string field, even if it is empty: the string table begins with an empty string. */
    ProtoMessage text(int field, String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        return bytes(field, utf8, utf8.length);
    }

    private ProtoMessage bytes(int field, byte[] value, int count) {
        varint(field << 3 | BYTES);
        varint(count);
        makeRoom(count);
        System.arraycopy(value, 0, bytes, length, count);
        length += count;
        return this;
    }

    /** Writes an item of a packed repeated field. A message with such items has no other fields. */
    ProtoMessage packed(long value) {
        varint(value);
        return this;
    }

    int length() {
        return length;
    }

    /** Removes all fields. */
    ProtoMessage clear() {
        length = 0;
        return this;
    }

    /** Writes the fields to a stream and removes them. */
    void drainTo(OutputStream out) throws IOException {
        out.write(bytes, 0, length);
        length = 0;
    }

    private void makeRoom(int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + count));
        }
    }

    private void varint(long value) {
        makeRoom(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[length++] = (byte) (rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
    }
}
