package mayfly.cli.file;

import java.io.IOException;

/** A format could not be made of a capture, for a reason that is not the output's. */
public final class RenderingFailed extends IOException {
    private static final long serialVersionUID = 1;

    RenderingFailed(String message) {
        super(message);
    }

    RenderingFailed(String message, Throwable cause) {
        super(message, cause);
    }
}
