package mayfly.profile.capture;

import static mayfly.profile.capture.records.CaptureFormat.BLOCK_HEADER_BYTES;
import static mayfly.profile.capture.records.CaptureFormat.HEADER_BYTES;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import mayfly.profile.BadCapture;
import mayfly.profile.capture.records.CaptureFormat;
import mayfly.profile.capture.records.RecordCursor;

/**
 * Follows a capture while it is being written. Each {@link #poll} returns the records added since the last one. Only
 * complete blocks are read: a partially written block is left for a later poll. The bytes are not trusted. Confined to
 * one thread.
 */
public final class CaptureTail implements Closeable {
    /** Upper bound on the blocks that one poll reads, so that a poll of a large file needs little memory. */
    private static final int MAX_BLOCKS = 16;

    private final FileChannel file;
    private final TailRecords records = new TailRecords();
    private long offset;
    /** The problem of the file, or empty. */
    private String damage = "";

    private CaptureTail(FileChannel file) {
        this.file = file;
    }

    /**
     * Opens a capture, which may still be empty.
     *
     * @throws IOException if there is no such file, or it cannot be read
     */
    public static CaptureTail open(Path file) throws IOException {
        return new CaptureTail(FileChannel.open(file, StandardOpenOption.READ));
    }

    /**
     * Returns the new records, in the order of the file; an empty list if there is no new complete block. Reads at most
     * 16 blocks, so more than about a megabyte of unread data takes several calls.
     *
     * @throws IOException if the file cannot be read
     * @throws BadCapture if it is not a capture of this version, is damaged, or became shorter. Earlier calls have
     *     returned the records before the damage; later calls fail in the same way
     */
    public List<CaptureRecord> poll() throws IOException, BadCapture {
        if (damage.isEmpty()) {
            try {
                readOn();
            } catch (BadCapture e) {
                damage = String.valueOf(e.getMessage());
            }
        }
        List<CaptureRecord> found = records.take();
        if (!damage.isEmpty() && found.isEmpty()) {
            throw new BadCapture(damage);
        }
        return found;
    }

    /** Returns true if the recording ended regularly and all of it was read. */
    public boolean isEnded() {
        return records.isEnded();
    }

    private void readOn() throws IOException, BadCapture {
        long size = file.size();
        if (size < offset) {
            throw new BadCapture("the capture became shorter: it has " + size + " bytes, and " + offset + " were read");
        }
        if (offset == 0 && !header(size)) {
            return;
        }
        for (int blocks = 0; blocks < MAX_BLOCKS && !records.isEnded() && block(size); blocks++) {
            // the condition reads one block
        }
    }

    private boolean header(long size) throws IOException, BadCapture {
        byte[] header = read(0, (int) Math.min(size, HEADER_BYTES));
        if (header.length < HEADER_BYTES) {
            int known = Math.min(header.length, CaptureFormat.MAGIC.length);
            if (!Arrays.equals(header, 0, known, CaptureFormat.MAGIC, 0, known)) {
                CaptureFormat.requireHeader(header);
            }
            return false;
        }
        CaptureFormat.requireHeader(header);
        offset = HEADER_BYTES;
        return true;
    }

    /** Reads a block if it is complete. Returns false if it is not. */
    private boolean block(long size) throws IOException, BadCapture {
        if (size - offset < BLOCK_HEADER_BYTES) {
            return false;
        }
        byte[] head = read(offset, BLOCK_HEADER_BYTES);
        if (head.length < BLOCK_HEADER_BYTES) {
            return false;
        }
        BlockInput block = BlockInput.of(head, offset);
        if (size < block.end()) {
            return false;
        }
        byte[] payload = read(block.begin(), block.length());
        if (payload.length < block.length()) {
            return false;
        }
        block.verify(payload);
        try {
            accept(new RecordCursor(payload, payload.length));
        } catch (RecordCursor.BadRecord e) {
            throw block.damaged(e);
        }
        offset = block.end();
        return true;
    }

    private void accept(RecordCursor cursor) throws RecordCursor.BadRecord {
        while (cursor.hasMore() && !records.isEnded()) {
            records.accept(cursor.next(), cursor);
            cursor.leave();
        }
    }

    /** Returns the given number of bytes, or fewer at the end of the file. */
    private byte[] read(long at, int length) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(length);
        while (into.hasRemaining() && file.read(into, at + into.position()) > 0) {
            // the condition reads the next bytes
        }
        return into.hasRemaining() ? Arrays.copyOf(into.array(), into.position()) : into.array();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
