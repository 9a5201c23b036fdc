package mayfly.discovery;

/** A session cannot be had. The message says what failed, with its values; {@link #advice} what to do about it. */
public final class SessionRefused extends Exception {
    private static final long serialVersionUID = 1;

    /** Why. Each has its section in docs/troubleshooting.md. */
    public enum Reason {
        /** No process has this id or name. */
        NO_SUCH_PROCESS("no-such-process"),
        /** The process has ended and waits for its parent to notice. */
        ZOMBIE("zombie"),
        /** No runtime that can be read is mapped into the process. */
        NOT_A_JVM("not-a-jvm"),
        /** A JVM that has not initialised itself yet. */
        JVM_STARTING("jvm-starting"),
        /** The kernel does not permit it to this user. */
        NOT_PERMITTED("not-permitted"),
        /** No thread of the target has this id or name. */
        NO_SUCH_THREAD("no-such-thread"),
        /** Another process traces the target, such as a debugger. */
        TRACED("traced"),
        /** Several processes match. */
        AMBIGUOUS("ambiguous"),
        /** A VM of a kind or version that is not understood, or whose tables contradict themselves. */
        UNSUPPORTED_VM("unsupported-vm"),
        /** The kernel lacks something, or is of another architecture. */
        UNSUPPORTED_KERNEL("unsupported-kernel"),
        /** More samples per second than the kernel allows. */
        RATE_TOO_HIGH("rate-too-high"),
        /** The capture cannot be written. */
        OUTPUT("output"),
        /** A resource limit is too low, such as the number of open files. */
        LIMIT("limit"),
        /** The target ended before it could be sampled. */
        TARGET_GONE("target-gone"),
        /** This build cannot do it. */
        UNSUPPORTED("unsupported");

        private final String id;

        Reason(String id) {
            this.id = id;
        }

        /** The word printed with a message and used as heading in docs/troubleshooting.md. Never changes. */
        public String id() {
            return id;
        }
    }

    private final Reason reason;
    private final String advice;

    /**
     * @param message what failed, with the values
     * @param advice what to do about it, may be of several lines, may be empty
     */
    public SessionRefused(Reason reason, String message, String advice) {
        super(message);
        this.reason = reason;
        this.advice = advice;
    }

    public Reason reason() {
        return reason;
    }

    public String advice() {
        return advice;
    }
}
