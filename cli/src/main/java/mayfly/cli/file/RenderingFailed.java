package mayfly.cli.file;

import java.io.IOException;

/** Thrown if a capture cannot be converted to a format for a reason other than the output. */
public final class RenderingFailed extends IOException {
    private static final long serialVersionUID = 1;

    RenderingFailed(String message) {
        super(message);
    }

    RenderingFailed(String message, Throwable cause) {
        super(message, cause);
    }
}
