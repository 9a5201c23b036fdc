package mayfly.profile.capture;

import java.io.IOException;

/**
 * A capture could not be written, for example because the disk is full. Data that was flushed before remains readable.
 * Every later call of the writer fails in the same way.
 */
public final class CaptureWriteException extends IOException {
    private static final long serialVersionUID = 1;

    CaptureWriteException(String message, IOException cause) {
        super(message, cause);
    }
}
