package mayfly.audit;

/** A kind that cannot be seen in this process now, and why. An ordinary outcome: no stack trace. */
final class NotSeen extends Exception {
    private static final long serialVersionUID = 1L;

    NotSeen(String reason) {
        super(reason, null, false, false);
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
