package mayfly.cli.output;

import mayfly.api.Status;
import mayfly.discovery.Refused;

/**
 * The exit code of each refusal and of each status of a request to a profiler's host. A fact that every command can
 * refuse is a {@link Refused}, also in a command for a hosted profiler; therefore its exit code is the same everywhere.
 * The table of docs/exit-codes.md is generated from this class, {@link ExitCode} and {@link Message}.
 */
public final class ExitCodes {
    /** The sum of a status's number and this constant is its exit code. */
    private static final int OF_STATUS_ZERO = 10;

    private ExitCodes() {}

    public static ExitCode of(Refused.Reason reason) {
        return switch (reason) {
            case NO_SUCH_PROCESS, NO_SUCH_THREAD, NO_SUCH_RUNTIME, AMBIGUOUS, ZOMBIE, NOT_A_JVM -> ExitCode.NOT_FOUND;
            case NOT_PERMITTED, TRACED -> ExitCode.NOT_PERMITTED;
            case UNSUPPORTED_VM, UNSUPPORTED_KERNEL, UNSUPPORTED -> ExitCode.UNSUPPORTED;
            case RATE_TOO_HIGH -> ExitCode.USAGE;
            case JVM_STARTING, OUTPUT, LIMIT, TARGET_GONE -> ExitCode.FAILED;
        };
    }

    /** Returns the exit code of a status that is not {@link Status#OK}: each has its own. */
    public static int of(Status status) {
        return OF_STATUS_ZERO + status.number();
    }
}
