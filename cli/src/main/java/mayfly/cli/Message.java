package mayfly.cli;

import java.util.Locale;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.discovery.SessionRefused;

/**
 * What can go wrong in front of a user, apart from {@link SessionRefused.Reason} and {@link Status}. Each has its section in
 * docs/troubleshooting.md.
 */
enum Message {
    USAGE("usage", ExitCode.USAGE, "%s"),
    OUTPUT("output", ExitCode.FAILED, "cannot write %s: %s"),
    UNKNOWN_FORMAT("unknown-format", ExitCode.USAGE, "no format is known for %s; %s"),
    NOT_A_CAPTURE("not-a-capture", ExitCode.FAILED, "%s cannot be read as a capture: %s"),
    INPUT("input", ExitCode.FAILED, "cannot read %s: %s"),
    NOT_AN_AUDIT("not-an-audit", ExitCode.USAGE, "%s cannot be read as a saved audit: %s"),
    AUDIT_OF_ANOTHER("audit-of-another", ExitCode.USAGE, "%s cannot be compared with process %d: %s"),
    PROGRAM_NOT_STARTED("program-not-started", ExitCode.FAILED, "cannot start %s: %s"),
    RENDERING("rendering-failed", ExitCode.FAILED, "cannot make %s of the recording: %s"),
    GIVEN_UP("given-up", ExitCode.FAILED, "%s was given up"),
    NOT_ENOUGH_MEMORY("not-enough-memory", ExitCode.FAILED,
            "to make %s of this recording takes %d MB of memory, and there are %d MB: %s"),
    INTERNAL("internal-error", ExitCode.FAILED, "this is a defect in Mayfly: %s");

    private static final int FIRST_OF_STATUS = 10;

    private final String id;
    private final ExitCode exitCode;
    private final String pattern;

    Message(String id, ExitCode exitCode, String pattern) {
        this.id = id;
        this.exitCode = exitCode;
        this.pattern = pattern;
    }

    /** The word printed with the message, and its heading in docs/troubleshooting.md. Never changes. */
    String id() {
        return id;
    }

    CommandFailed with(Object... values) {
        return withAdvice("", values);
    }

    /** @param advice what to do about it, may be of several lines */
    CommandFailed withAdvice(String advice, Object... values) {
        return new CommandFailed(id, exitCode.code(), String.format(Locale.ROOT, pattern, values), advice);
    }

    /** A refused session, in the same shape. */
    static CommandFailed of(SessionRefused refused) {
        return new CommandFailed(refused.reason().id(), exitCode(refused.reason()).code(),
                String.valueOf(refused.getMessage()), refused.advice());
    }

    /** A failed attach, or what else is asked of a profiler's host, in the same shape. */
    static CommandFailed of(AttachFailed failed) {
        return new CommandFailed(id(failed.status()), exitCode(failed.status()), String.valueOf(failed.getMessage()),
                failed.detail().replace("\t", "    "));
    }

    /** The word of a status: its name as people write it. */
    static String id(Status status) {
        return status.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** From 10 upward, one for each status. */
    static int exitCode(Status status) {
        return FIRST_OF_STATUS + status.number();
    }

    static ExitCode exitCode(SessionRefused.Reason reason) {
        return switch (reason) {
            case NO_SUCH_PROCESS, NO_SUCH_THREAD, AMBIGUOUS, ZOMBIE, NOT_A_JVM -> ExitCode.NOT_FOUND;
            case NOT_PERMITTED, TRACED -> ExitCode.NOT_PERMITTED;
            case UNSUPPORTED_VM, UNSUPPORTED_KERNEL, UNSUPPORTED -> ExitCode.UNSUPPORTED;
            case RATE_TOO_HIGH -> ExitCode.USAGE;
            case JVM_STARTING, OUTPUT, LIMIT, TARGET_GONE -> ExitCode.FAILED;
        };
    }
}
