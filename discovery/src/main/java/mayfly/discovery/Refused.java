package mayfly.discovery;

/**
 * Thrown if a command cannot perform its work on a target: a recording, a dump, an audit or an attach. The message
 * names the cause, with its values; {@link #advice} is the remedy.
 */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    /** The reason. Each has its section in docs/troubleshooting.md. */
    public enum Reason {
        /** No process has this id or name. */
        NO_SUCH_PROCESS("no-such-process"),
        /** The process has ended and its parent has not waited for it yet. */
        ZOMBIE("zombie"),
        /** No runtime's library is mapped into the process, or the process is a kernel thread. */
        NOT_A_JVM("not-a-jvm"),
        /** The process has no JVM with this id or version. */
        NO_SUCH_RUNTIME("no-such-runtime"),
        /** The JVM has not initialised itself yet. */
        JVM_STARTING("jvm-starting"),
        /** The kernel denies the permission to this user. */
        NOT_PERMITTED("not-permitted"),
        /** No thread of the target has this id or name. */
        NO_SUCH_THREAD("no-such-thread"),
        /** Another process traces the target, such as a debugger. */
        TRACED("traced"),
        /** Several processes match, or several JVMs of the process. */
        AMBIGUOUS("ambiguous"),
        /** The kind or version of the VM is not supported or not known, or its tables contradict each other. */
        UNSUPPORTED_VM("unsupported-vm"),
        /** The kernel lacks a feature, or has another architecture. */
        UNSUPPORTED_KERNEL("unsupported-kernel"),
        /** The sampling rate exceeds the kernel's limit. */
        RATE_TOO_HIGH("rate-too-high"),
        /** The capture cannot be written. */
        OUTPUT("output"),
        /** A resource limit is too low, such as the number of open files. */
        LIMIT("limit"),
        /** The target has ended, is ending, or has become another program. */
        TARGET_GONE("target-gone"),
        /** This build does not support the operation. */
        UNSUPPORTED("unsupported");

        private final String id;

        Reason(String id) {
            this.id = id;
        }

        /** Returns the word printed with a message and used as heading in docs/troubleshooting.md. It never changes. */
        public String id() {
            return id;
        }
    }

    private final Reason reason;
    private final String advice;

    /**
     * Creates a refusal.
     *
     * @param message the cause, with the values
     * @param advice the remedy, possibly of several lines, possibly empty
     */
    public Refused(Reason reason, String message, String advice) {
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
