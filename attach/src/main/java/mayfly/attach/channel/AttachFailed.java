package mayfly.attach.channel;

import mayfly.api.Status;

/** A request that failed: how, in which words, and with which stack trace of the profiler's if it has one. */
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

    /** A stack trace from the target, or empty: untrusted text. */
    public String detail() {
        return detail;
    }
}
