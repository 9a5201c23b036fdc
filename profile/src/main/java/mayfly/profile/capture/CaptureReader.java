package mayfly.profile.capture;

import static mayfly.profile.capture.records.CaptureFormat.BLOCK_HEADER_BYTES;
import static mayfly.profile.capture.records.CaptureFormat.HEADER_BYTES;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import mayfly.profile.BadCapture;
import mayfly.profile.Detail;
import mayfly.profile.Profile;
import mayfly.profile.capture.records.CaptureFormat;
import mayfly.profile.capture.records.RecordCursor;

/**
 * Reads a capture up to its last complete record. A capture that is truncated or damaged results in a profile of the
 * part before the damage, with a warning. The bytes are not trusted.
 */
public final class CaptureReader {
    /** Receives the records one by one. */
    interface Records {
        /**
         * Receives a record, positioned at its first field.
         *
         * @throws RecordCursor.BadRecord if the record is malformed
         */
        void accept(int type, RecordCursor record) throws RecordCursor.BadRecord;

        /** Receives a problem of the file, in a sentence. */
        void warn(String sentence);
    }

    /** Selects the first event of the recording, which is usually the only one. */
    public static final String FIRST_EVENT = "";
    /** The value for {@code reach} if the capture has not been summarized. */
    public static final int ANY_REACH = Integer.MAX_VALUE;

    private final InputStream in;
    private final Records tables;
    private long offset = HEADER_BYTES;

    private CaptureReader(InputStream in, Records tables) {
        this.in = in;
        this.tables = tables;
    }

    /**
     * Reads a file with every sample of its first event.
     *
     * @throws IOException if the file cannot be read
     * @throws BadCapture if it is not a capture, or one of another version
     */
    public static Profile read(Path file) throws IOException, BadCapture {
        try (InputStream in = Files.newInputStream(file)) {
            return read(in);
        }
    }

    /**
     * Reads every sample of the first event.
     *
     * @throws IOException if the stream cannot be read
     * @throws BadCapture if it is not a capture, or one of another version
     */
    public static Profile read(InputStream in) throws IOException, BadCapture {
        return read(in, Detail.EVERY_SAMPLE);
    }

    /**
     * Reads to the end of the stream, or to the first part that cannot be interpreted. Does not close the stream.
     *
     * @param detail the level of detail of the samples in memory
     * @throws IOException if the stream cannot be read
     * @throws BadCapture if it is not a capture, or one of another version
     */
    public static Profile read(InputStream in, Detail detail) throws IOException, BadCapture {
        return read(in, detail, ANY_REACH);
    }

    /**
     * Reads the first event. A known reach reduces the memory needed.
     *
     * @param reach the {@link CaptureSummary#reach} of this capture; a reference beyond it ends the reading with a
     *     warning
     * @throws IOException if the stream cannot be read
     * @throws BadCapture if it is not a capture, or one of another version
     */
    public static Profile read(InputStream in, Detail detail, int reach) throws IOException, BadCapture {
        return read(in, detail, reach, FIRST_EVENT);
    }

    /**
     * Reads one event.
     *
     * @param event its name, or {@link #FIRST_EVENT}
     * @throws IOException if the stream cannot be read
     * @throws BadCapture if it is not a capture, or one of another version, or has no such event
     */
    public static Profile read(InputStream in, Detail detail, int reach, String event) throws IOException, BadCapture {
        var tables = new CaptureTables(detail, reach, event);
        new CaptureReader(in, tables).readAll();
        return tables.profile();
    }

    /**
     * Reads a capture and keeps only the data of a {@link CaptureSummary}.
     *
     * @throws IOException if the stream cannot be read
     * @throws BadCapture if it is not a capture, or one of another version
     */
    public static CaptureSummary summary(InputStream in) throws IOException, BadCapture {
        var counts = new CaptureCounts();
        new CaptureReader(in, counts).readAll();
        return counts.summary();
    }

    /**
     * Reads the samples of all events, and keeps only their sums.
     *
     * @throws IOException if the stream cannot be read
     * @throws BadCapture if it is not a capture, or one of another version
     */
    public static ThreadTotals threadTotals(InputStream in) throws IOException, BadCapture {
        var sums = new ThreadSums();
        new CaptureReader(in, sums).readAll();
        return sums.totals();
    }

    private void readAll() throws IOException, BadCapture {
        header();
        boolean more = true;
        while (more) {
            more = block();
        }
    }

    private void header() throws IOException, BadCapture {
        byte[] header = in.readNBytes(HEADER_BYTES);
        CaptureFormat.requireHeader(header);
    }

    private boolean block() throws IOException {
        byte[] head = in.readNBytes(BLOCK_HEADER_BYTES);
        if (head.length == 0) {
            return false;
        }
        if (head.length < BLOCK_HEADER_BYTES) {
            tables.warn("the capture was cut off at byte " + offset);
            return false;
        }
        try {
            return block(BlockInput.of(head, offset));
        } catch (BadCapture e) {
            tables.warn(e.getMessage() + "; read up to there");
            return false;
        }
    }

    private boolean block(BlockInput block) throws IOException, BadCapture {
        byte[] payload = in.readNBytes(block.length());
        if (payload.length < block.length()) {
            tables.warn("the capture was cut off at byte " + (block.begin() + payload.length));
            truncated(payload);
            return false;
        }
        block.verify(payload);
        try {
            records(payload);
        } catch (RecordCursor.BadRecord e) {
            throw block.damaged(e);
        }
        offset = block.end();
        return true;
    }

    /** The checksum of a truncated block cannot be verified: its complete records are used if they are valid. */
    private void truncated(byte[] payload) {
        try {
            records(payload);
        } catch (RecordCursor.BadRecord e) {
            return; // the last record is not complete
        }
    }

    private void records(byte[] payload) throws RecordCursor.BadRecord {
        var cursor = new RecordCursor(payload, payload.length);
        while (cursor.hasMore()) {
            tables.accept(cursor.next(), cursor);
            cursor.leave();
        }
    }
}
