package mayfly.profile.capture;

import static mayfly.profile.capture.records.CaptureFormat.BLOCK_HEADER_BYTES;
import static mayfly.profile.capture.records.CaptureFormat.MAX_BLOCK_BYTES;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import mayfly.profile.BadCapture;
import mayfly.profile.capture.records.RecordCursor;

/**
 * The header of a block of a capture, which precedes the block's records.
 *
 * @param offset the location of the header in the file
 * @param length the number of bytes of the records, at most {@code MAX_BLOCK_BYTES}
 * @param checksum the CRC-32C of the records
 */
record BlockInput(long offset, int length, int checksum) {

    /**
     * Reads a header.
     *
     * @param header its bytes, {@code BLOCK_HEADER_BYTES} of them
     * @throws BadCapture if the length is impossible
     */
    static BlockInput of(byte[] header, long offset) throws BadCapture {
        ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
        var block = new BlockInput(offset, fields.getInt(), fields.getInt());
        if (block.length <= 0 || block.length > MAX_BLOCK_BYTES) {
            throw new BadCapture("damaged at byte " + offset + ": a block of " + block.length + " bytes");
        }
        return block;
    }

    /** Returns the location of the records in the file. */
    long begin() {
        return offset + BLOCK_HEADER_BYTES;
    }

    /** Returns the location of the next block in the file. */
    long end() {
        return begin() + length;
    }

    /**
     * Verifies all bytes of the records.
     *
     * @throws BadCapture if their checksum is another one
     */
    void verify(byte[] records) throws BadCapture {
        var crc = new CRC32C();
        crc.update(records);
        if ((int) crc.getValue() != checksum) {
            throw new BadCapture("damaged at byte " + offset + ": a block's checksum is wrong");
        }
    }

    /** Converts the failure of a record to that of the capture. */
    BadCapture damaged(RecordCursor.BadRecord e) {
        return new BadCapture("damaged in the block at byte " + offset + ": " + e.getMessage());
    }
}
