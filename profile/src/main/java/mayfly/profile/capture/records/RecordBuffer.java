package mayfly.profile.capture.records;

import static mayfly.profile.capture.records.CaptureFormat.BLOCK_HEADER_BYTES;
import static mayfly.profile.capture.records.CaptureFormat.MAX_BLOCK_BYTES;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.zip.CRC32C;

/** One block of a capture while it is being filled with records. */
public final class RecordBuffer {
    private final byte[] bytes = new byte[BLOCK_HEADER_BYTES + MAX_BLOCK_BYTES];
    private final ByteBuffer view = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    private int at = BLOCK_HEADER_BYTES;
    private int lengthAt;

    public boolean isEmpty() {
        return at == BLOCK_HEADER_BYTES;
    }

    public boolean hasRoom(int wanted) {
        return bytes.length - at >= wanted;
    }

    /** Starts a record of numbers, whose body stays below 128 bytes. */
    public void begin(int type) {
        bytes[at++] = (byte) type;
        lengthAt = at++;
    }

    public void end() {
        bytes[lengthAt] = (byte) (at - lengthAt - 1);
    }

    public void blob(int type, byte[] body, int length) {
        bytes[at++] = (byte) type;
        number(length);
        System.arraycopy(body, 0, bytes, at, length);
        at += length;
    }

    /** LEB128, unsigned. */
    public void number(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[at++] = (byte) (rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        bytes[at++] = (byte) rest;
    }

    /** LEB128 of the zigzag encoding: small magnitudes stay short. */
    public void signed(long value) {
        number(value << 1 ^ value >> 63);
    }

    /** Writes the block and starts the next one. */
    public void writeTo(WritableByteChannel channel) throws IOException {
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
