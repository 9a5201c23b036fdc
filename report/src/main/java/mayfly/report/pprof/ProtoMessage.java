package mayfly.report.pprof;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** The fields of one protocol buffers message, in its wire format. A field of zero is left out, as proto3 has it. */
final class ProtoMessage {
    private static final int VARINT = 0;
    private static final int BYTES = 2;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);

    ProtoMessage number(int field, long value) {
        if (value != 0) {
            varint(field << 3 | VARINT);
            varint(value);
        }
        return this;
    }

    ProtoMessage message(int field, ProtoMessage value) {
        varint(field << 3 | BYTES);
        varint(value.bytes.size());
        bytes.writeBytes(value.bytes.toByteArray());
        return this;
    }

    /** Also if it is empty: the string table begins with an empty string. */
    ProtoMessage text(int field, String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        varint(field << 3 | BYTES);
        varint(utf8.length);
        bytes.writeBytes(utf8);
        return this;
    }

    /** A packed repeated field. */
    ProtoMessage numbers(int field, long[] values, int count) {
        var packed = new ProtoMessage();
        for (int i = 0; i < count; i++) {
            packed.varint(values[i]);
        }
        return message(field, packed);
    }

    /** Writes what there is, and is empty again. */
    void drainTo(OutputStream out) throws IOException {
        bytes.writeTo(out);
        bytes.reset();
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes.write((int) (rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        bytes.write((int) rest);
    }
}
