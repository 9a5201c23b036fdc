package mayfly.cli.output;

import java.util.Locale;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.discovery.Refused;

/**
 * The errors reported to a user, except for {@link Refused.Reason} and {@link Status}. Each has its section in
 * docs/troubleshooting.md.
 */
public enum Message {
    USAGE("usage", ExitCode.USAGE, "%s"),
    OUTPUT("output", ExitCode.FAILED, "cannot write %s: %s"),
    UNKNOWN_FORMAT("unknown-format", ExitCode.USAGE, "no format is known for %s; %s"),
    NOT_A_CAPTURE("not-a-capture", ExitCode.FAILED, "%s cannot be read as a capture: %s"),
    INPUT("input", ExitCode.FAILED, "cannot read %s: %s"),
    UNKNOWN_EVENT("unknown-event", ExitCode.USAGE, "%s has no event %s"),
    NOT_AN_AUDIT("not-an-audit", ExitCode.USAGE, "%s cannot be read as a saved audit: %s"),
    AUDIT_OF_ANOTHER("audit-of-another", ExitCode.USAGE, "%s cannot be compared with process %d: %s"),
    PROGRAM_NOT_STARTED("program-not-started", ExitCode.FAILED, "cannot start %s: %s"),
    RENDERING("rendering-failed", ExitCode.FAILED, "cannot create %s from the recording: %s"),
    GIVEN_UP("given-up", ExitCode.FAILED, "%s was not written: the command was cancelled"),
    NOT_ENOUGH_MEMORY(
            "not-enough-memory",
            ExitCode.FAILED,
            "creating %s from this recording needs %d MB of memory, but only %d MB are available: %s"),
    INTERNAL("internal-error", ExitCode.FAILED, "this is a defect in Mayfly: %s");

    private final String id;
    private final ExitCode exitCode;
    private final String pattern;

    Message(String id, ExitCode exitCode, String pattern) {
        this.id = id;
        this.exitCode = exitCode;
        this.pattern = pattern;
    }

    /**
     * Returns the identifier printed with the message, which is its heading in docs/troubleshooting.md. Stable across
     * releases.
     */
    public String id() {
        return id;
    }

    /** Returns the exit code of a command that fails with this message. */
    public ExitCode exitCode() {
        return exitCode;
    }

    public CommandFailed with(Object... values) {
        return withAdvice("", values);
    }

    /**
     * Returns the failure with advice.
     *
     * @param advice advice for the user; may have several lines
     */
    public CommandFailed withAdvice(String advice, Object... values) {
        return new CommandFailed(id, exitCode.code(), String.format(Locale.ROOT, pattern, values), advice);
    }

    /** Returns the failure for an internal error. */
    public static CommandFailed defect(Throwable cause) {
        return INTERNAL.withAdvice(
                "MAYFLY_DEBUG=1 prints the stack trace; please report it with the output of mayfly doctor",
                cause.getClass().getName() + (cause.getMessage() == null ? "" : ": " + cause.getMessage()));
    }

    /** Converts a refusal of the target to a failure. */
    public static CommandFailed of(Refused refused) {
        return new CommandFailed(
                refused.reason().id(),
                ExitCodes.of(refused.reason()).code(),
                String.valueOf(refused.getMessage()),
                refused.advice());
    }

    /** Converts a failed attach, or another failed request to a profiler's host, to a failure. */
    public static CommandFailed of(AttachFailed failed) {
        if (failed.refusal().isPresent()) {
            return of(failed.refusal().get());
        }
        return new CommandFailed(
                id(failed.status()),
                ExitCodes.of(failed.status()),
                String.valueOf(failed.getMessage()),
                failed.detail().replace("\t", "    "));
    }

    /** Returns the identifier of a status, in lower case with hyphens. */
    public static String id(Status status) {
        return status.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
