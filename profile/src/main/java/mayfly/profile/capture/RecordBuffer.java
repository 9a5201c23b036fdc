package mayfly.profile.capture;

import static mayfly.profile.capture.CaptureFormat.BLOCK_HEADER_BYTES;
import static mayfly.profile.capture.CaptureFormat.MAX_BLOCK_BYTES;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.zip.CRC32C;

/** One block of a capture, to which records are appended. */
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

    /** Starts a record of numbers, whose body has fewer than 128 bytes. */
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

    /** Appends a number in unsigned LEB128. */
    void number(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[at++] = (byte) (rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        bytes[at++] = (byte) rest;
    }

    /** Appends a number in LEB128 of the zigzag encoding, which is short for small magnitudes. */
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
