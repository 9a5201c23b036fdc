package mayfly.profile.capture.writers;

import static mayfly.profile.capture.records.CaptureFormat.HEADER_BYTES;
import static mayfly.profile.capture.records.CaptureFormat.MAGIC;
import static mayfly.profile.capture.records.CaptureFormat.VERSION;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import mayfly.profile.CaptureWriteException;
import org.jspecify.annotations.Nullable;

/** Writes the header and the blocks of a capture to a channel. After a failure every later call fails. */
public final class BlockOutput {
    /** Upper bound on the size of a record of numbers: type, length, and varints. */
    private static final int RECORD_BYTES = 128;

    private final WritableByteChannel channel;
    private final RecordBuffer buffer = new RecordBuffer();
    private @Nullable CaptureWriteException failure;

    /**
     * Writes the header to a blocking channel.
     *
     * @throws CaptureWriteException if the header cannot be written
     */
    public BlockOutput(WritableByteChannel channel) throws CaptureWriteException {
        this.channel = channel;
        var header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.put(MAGIC).putInt(VERSION).putInt(0).flip();
        try {
            while (header.hasRemaining()) {
                channel.write(header);
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Starts a record of numbers, which the caller ends. */
    RecordBuffer begin(int type) throws CaptureWriteException {
        makeRoom(RECORD_BYTES);
        buffer.begin(type);
        return buffer;
    }

    void blob(int type, byte[] body) throws CaptureWriteException {
        makeRoom(body.length + RECORD_BYTES);
        buffer.blob(type, body, body.length);
    }

    private void makeRoom(int bytes) throws CaptureWriteException {
        if (failure != null || !buffer.hasRoom(bytes)) {
            flush();
        }
    }

    /**
     * Writes all buffered data to the kernel.
     *
     * @throws CaptureWriteException if they cannot be written, or an earlier write has failed
     */
    public void flush() throws CaptureWriteException {
        if (failure != null) {
            throw failed(failure);
        }
        if (buffer.isEmpty()) {
            return;
        }
        try {
            buffer.writeTo(channel);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private CaptureWriteException failed(IOException cause) {
        String reason = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        var exception = new CaptureWriteException(reason, cause);
        if (failure == null) {
            failure = exception;
        }
        return exception;
    }

    public boolean hasFailed() {
        return failure != null;
    }
}
