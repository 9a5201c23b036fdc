package mayfly.api;

/**
 * Thrown for a failed request, with its status. If a profiler throws it from its initialisation, the attaching command
 * reports the status, the message and the stack trace unchanged.
 */
public final class ProfilerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Status status;

    /** Creates an exception with a readable message. */
    public ProfilerException(Status status, String message) {
        super(message);
        this.status = status;
    }

    /** Creates an exception with the meaning of the status as its message. */
    public ProfilerException(Status status) {
        this(status, status.meaning());
    }

    /** Returns the status of the request. */
    public Status status() {
        return status;
    }
}
