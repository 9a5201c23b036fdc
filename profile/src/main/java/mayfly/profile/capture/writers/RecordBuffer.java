package mayfly.profile.capture.writers;

import static mayfly.profile.capture.records.CaptureFormat.BLOCK_HEADER_BYTES;
import static mayfly.profile.capture.records.CaptureFormat.MAX_BLOCK_BYTES;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.zip.CRC32C;

/** A buffer for the records of one block of a capture. */
final class RecordBuffer {
    private final byte[] bytes = new byte[BLOCK_HEADER_BYTES + MAX_BLOCK_BYTES];
    private final ByteBuffer view = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    private int at = BLOCK_HEADER_BYTES;
    private int lengthAt;

    boolean isEmpty() {
        return at == BLOCK_HEADER_BYTES;
    }

    boolean hasRoom(int wanted) {
        return bytes.length - at >= wanted;
    }

    /** Starts a record of numbers, whose body stays below 128 bytes. */
    void begin(int type) {
        bytes[at++] = (byte) type;
        lengthAt = at++;
    }

    void end() {
        bytes[lengthAt] = (byte) (at - lengthAt - 1);
    }

    void blob(int type, byte[] body, int length) {
        bytes[at++] = (byte) type;
        number(length);
        System.arraycopy(body, 0, bytes, at, length);
        at += length;
    }

    /** Writes an unsigned LEB128 number. */
    void number(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[at++] = (byte) (rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        bytes[at++] = (byte) rest;
    }

    /** Writes a signed number as LEB128 in zigzag encoding, in which small magnitudes are short. */
    void signed(long value) {
        number(value << 1 ^ value >> 63);
    }

    /** Writes the block and starts the next one. */
    void writeTo(WritableByteChannel channel) throws IOException {
        int length = at - BLOCK_HEADER_BYTES;
        crc.reset();
        crc.update(bytes, BLOCK_HEADER_BYTES, length);
        view.clear();
        view.putInt(0, length).putInt(4, (int) crc.getValue());
        view.limit(at);
        while (view.hasRemaining()) {
            channel.write(view);
        }
        at = BLOCK_HEADER_BYTES;
    }
}
