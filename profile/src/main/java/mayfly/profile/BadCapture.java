package mayfly.profile;

/** Thrown if bytes are not a readable capture. The message states the problem, and its location if there is one. */
public final class BadCapture extends Exception {
    private static final long serialVersionUID = 1;

    public BadCapture(String message) {
        super(message);
    }
}
