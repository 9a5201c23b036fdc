package mayfly.profile;

import java.io.IOException;

/**
 * Thrown if a capture cannot be written, for example because the disk is full. Data that was flushed earlier remains
 * readable. Every later call of the writer fails in the same way.
 */
public final class CaptureWriteException extends IOException {
    private static final long serialVersionUID = 1;

    public CaptureWriteException(String message, IOException cause) {
        super(message, cause);
    }
}
