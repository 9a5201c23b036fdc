package mayfly.audit;

/**
 * Thrown if a kind cannot be read in this process now, with the reason. This is an ordinary result and has no stack
 * trace.
 */
final class NotSeen extends Exception {
    private static final long serialVersionUID = 1L;

    NotSeen(String reason) {
        super(reason, null, false, false);
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
