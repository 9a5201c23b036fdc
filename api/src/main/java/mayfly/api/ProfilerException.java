package mayfly.api;

/**
 * A request that failed, with its status. A profiler that throws one from its initialisation tells the trigger that status,
 * the message and the stack trace, unchanged.
 */
public final class ProfilerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Status status;

    /** A failure with a message for people. */
    public ProfilerException(Status status, String message) {
        super(message);
        this.status = status;
    }

    /** A failure that needs no more words than its status has. */
    public ProfilerException(Status status) {
        this(status, status.meaning());
    }

    /** What became of the request. */
    public Status status() {
        return status;
    }
}
