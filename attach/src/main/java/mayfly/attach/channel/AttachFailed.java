package mayfly.attach.channel;

import java.util.Optional;
import mayfly.api.Status;
import mayfly.discovery.Refused;

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

    /** Creates the failure for a target that every command refuses, not only an attach. */
    public AttachFailed(Refused refusal) {
        super(refusal.getMessage(), refusal);
        this.status = status(refusal.reason());
        this.detail = "";
    }

    private static Status status(Refused.Reason reason) {
        return switch (reason) {
            case NO_SUCH_PROCESS, ZOMBIE, NOT_A_JVM, NO_SUCH_RUNTIME, JVM_STARTING -> Status.RUNTIME_NOT_LOADED;
            case TARGET_GONE -> Status.FAILED;
            case NOT_PERMITTED,
                    TRACED,
                    AMBIGUOUS,
                    UNSUPPORTED_VM,
                    UNSUPPORTED_KERNEL,
                    UNSUPPORTED,
                    LIMIT,
                    OUTPUT,
                    RATE_TOO_HIGH,
                    NO_SUCH_THREAD -> Status.ATTACH_REFUSED;
        };
    }

    /** Returns the refusal, if a command that does not attach would have refused the target too. */
    public Optional<Refused> refusal() {
        return getCause() instanceof Refused refusal ? Optional.of(refusal) : Optional.empty();
    }

    public Status status() {
        return status;
    }

    /** Returns a stack trace from the target, or an empty string: untrusted text. */
    public String detail() {
        return detail;
    }
}
