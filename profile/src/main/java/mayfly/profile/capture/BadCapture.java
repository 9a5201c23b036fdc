package mayfly.profile.capture;

/** The bytes are no capture that can be read. The message says what was wrong, where. */
public final class BadCapture extends Exception {
    private static final long serialVersionUID = 1;

    BadCapture(String message) {
        super(message);
    }
}
