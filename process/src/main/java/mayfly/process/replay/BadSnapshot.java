package mayfly.process.replay;

/**
 * Thrown if bytes are not a valid recorded process: they have another format, are truncated, or contain invalid values.
 * See docs/formats/recorded-process.md.
 */
public final class BadSnapshot extends Exception {
    private static final long serialVersionUID = 1L;

    public BadSnapshot(String message) {
        super(message);
    }
}
