package mayfly.process.replay;

/**
 * Thrown if bytes are not a recorded process: of another format, truncated, or absurd. See
 * docs/formats/recorded-process.md.
 */
public final class BadRecording extends Exception {
    private static final long serialVersionUID = 1L;

    public BadRecording(String message) {
        super(message);
    }
}
