package mayfly.client;

import java.util.OptionalInt;
import mayfly.client.process.ErrorLine;
import org.jspecify.annotations.Nullable;

/**
 * A command failed, or could not be run. It is a checked exception, because it depends on what a caller cannot control
 * beforehand: another process, its user and the kernel's settings.
 */
public final class MayflyException extends Exception {
    private static final long serialVersionUID = 1;

    /** The kinds of failures. Those with an exit code are explained in docs/exit-codes.md. */
    public enum Reason {
        /** There is no command {@code mayfly} where the library looks for it. */
        NOT_INSTALLED,
        /** The command could not be started. */
        NOT_STARTED,
        /** The time limit of {@link Mayfly#timeLimit} has passed; the command was ended. */
        TIME_LIMIT,
        /** The answer is larger than 64 MiB; the command was ended. */
        ANSWER_TOO_LARGE,
        /** The answer is not the expected JSON: the command has another version, or it is another program. */
        BAD_ANSWER,
        /** The command failed for a reason that has no exit code of its own. */
        FAILED(1),
        /** The command does not accept an option, its value, a combination of options, or a file that one names. */
        USAGE(2),
        /** There is no such process, thread or JVM, the process is not a JVM, or several match. */
        TARGET_NOT_FOUND(3),
        /** The kernel does not permit this user to inspect the process; the message names the setting. */
        NOT_PERMITTED(4),
        /** The VM or the kernel is not supported, or could not be read consistently. */
        UNSUPPORTED(5),
        /** A request to the profiler's host failed. */
        HOST_FAILED(11),
        /** The process has a profiler already. */
        PROFILER_ALREADY_ACTIVE(12),
        /** An attached profiler cannot have what it requested. */
        UNSUPPORTED_FOR_ATTACHING_PROFILER(13),
        /** A setting can only be chosen when the JVM starts. */
        IMMUTABLE_FLAGS(14),
        /** The profiler is being detached. */
        PROFILER_DETACHING(15),
        /** The profiler is not initialised yet. */
        NOT_YET_INITIALIZED(16),
        /** Code was changed and cannot be restored. */
        IRREVERSIBLE_INSTRUMENTATION(17),
        /** The profiler declined to be attached. */
        PROFILER_CANCEL_ACTIVATION(18),
        /** The command's own time-out has passed, and the outcome is not known; {@link Attachment#status} shows it. */
        TIMEOUT(19),
        /** The program has destroyed its JVM. A JVM that has not started yet is {@link #FAILED}. */
        RUNTIME_NOT_LOADED(20),
        /** The JVM is suspended. */
        RUNTIME_SUSPENDED(21),
        /** The attach was refused before anything was changed. */
        ATTACH_REFUSED(22),
        /** The profiler needs JVMTI; see {@link AttachRequest#acceptLastingCost}. */
        LASTING_COST_NOT_ACCEPTED(23),
        /** A walk was stopped by its callback. */
        STACK_SNAPSHOT_ABORTED(24),
        /** A thread cannot be walked now. */
        STACK_SNAPSHOT_UNSAFE(25),
        /** A walk would begin in native code. */
        STACK_SNAPSHOT_UNMANAGED_CONTEXT(26),
        /** A thread has ended. */
        THREAD_GONE(27),
        /** No profiler is attached. */
        NO_PROFILER(28),
        /** An id is not known. */
        UNKNOWN_ID(29),
        /** A stack is deeper than the part that was reported. */
        STACK_SNAPSHOT_TRUNCATED(30),
        /** There is no JDK that Mayfly can run on. */
        NO_JDK(69),
        /**
         * A signal ended the command, and the exit code is 128 plus its number; or an interrupt ended
         * {@link Attachment#close}, and there is no exit code.
         */
        ENDED_BY_SIGNAL(130),
        /** The command could not write its answer. */
        READER_GONE(141),
        /** The command ended with an exit code that this version of the library does not know. */
        OTHER;

        private static final int NONE = -1;
        private static final int SIGNALLED = 128;
        private static final int LAST_SIGNAL = 64;

        private final int exitCode;

        Reason() {
            this(NONE);
        }

        Reason(int exitCode) {
            this.exitCode = exitCode;
        }

        static Reason ofExitCode(int code) {
            for (Reason reason : values()) {
                if (reason.exitCode == code && code != NONE) {
                    return reason;
                }
            }
            return code > SIGNALLED && code <= SIGNALLED + LAST_SIGNAL ? ENDED_BY_SIGNAL : OTHER;
        }
    }

    private final Reason reason;
    private final String key;
    private final String advice;
    private final int exitCode;
    private final String stderr;

    private MayflyException(
            Reason reason,
            String message,
            String key,
            String advice,
            int exitCode,
            String stderr,
            @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.key = key;
        this.advice = advice;
        this.exitCode = exitCode;
        this.stderr = stderr;
    }

    /** A failure of the library, before or after its command. */
    static MayflyException of(Reason reason, String message, String advice, String stderr, @Nullable Throwable cause) {
        return new MayflyException(reason, message, "", advice, Reason.NONE, stderr, cause);
    }

    /** A failure of the command, by its exit code and its messages. */
    static MayflyException ofCommand(int exitCode, String stderr, String remark) {
        ErrorLine line = ErrorLine.in(stderr);
        String message = line.text().isEmpty() ? "mayfly ended with exit code " + exitCode : line.text();
        return new MayflyException(
                Reason.ofExitCode(exitCode), message + remark, line.key(), line.advice(), exitCode, stderr, null);
    }

    /** Returns the kind of the failure. */
    public Reason reason() {
        return reason;
    }

    /**
     * Returns the key of the message, such as {@code no-such-process}, or an empty string if it has none. Keys are
     * stable; docs/troubleshooting.md has a section for each.
     */
    public String key() {
        return key;
    }

    /** Returns a remedy in words, in one or several lines; usually empty. */
    public String advice() {
        return advice;
    }

    /**
     * Returns the exit code with which the command failed; empty if the library found the failure, such as a time limit
     * or an unreadable answer.
     */
    public OptionalInt exitCode() {
        return exitCode == Reason.NONE ? OptionalInt.empty() : OptionalInt.of(exitCode);
    }

    /** Returns what the command printed on standard error, or the last 64 KiB of it. */
    public String stderr() {
        return stderr;
    }
}
