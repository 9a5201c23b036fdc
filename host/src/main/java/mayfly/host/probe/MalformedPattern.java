package mayfly.host.probe;

/** A text that is no pattern of methods. The message is a sentence that says what is wrong. */
public final class MalformedPattern extends Exception {
    private static final long serialVersionUID = 1;

    MalformedPattern(String message) {
        super(message);
    }
}
