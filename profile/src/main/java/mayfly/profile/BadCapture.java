package mayfly.profile;

/** The bytes are no capture that can be read. The message says what was wrong, where. */
public final class BadCapture extends Exception {
    private static final long serialVersionUID = 1;

    public BadCapture(String message) {
        super(message);
    }
}
