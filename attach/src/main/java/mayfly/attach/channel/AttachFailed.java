package mayfly.attach.channel;

import mayfly.api.Status;

/** A failed request: its status, a message, and the profiler's stack trace if there is one. */
public final class AttachFailed extends Exception {
    private static final long serialVersionUID = 1;

    private final Status status;
    private final String detail;

    public AttachFailed(Status status, String message, String detail) {
        super(message);
        this.status = status;
        this.detail = detail;
    }

    public AttachFailed(Status status, String message) {
        this(status, message, "");
    }

    public Status status() {
        return status;
    }

    /** Returns a stack trace from the target, or an empty string: untrusted text. */
    public String detail() {
        return detail;
    }
}
