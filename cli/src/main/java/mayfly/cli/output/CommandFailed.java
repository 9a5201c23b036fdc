package mayfly.cli.output;

import java.io.PrintStream;

/** Ends a command with a message for the user and an exit code. */
public final class CommandFailed extends Exception {
    private static final long serialVersionUID = 1;

    private final String id;
    private final int exitCode;
    private final String advice;
    private final boolean isSilent;

    /**
     * @param id the identifier of the message, see {@link Message#id}
     * @param exitCode an {@link ExitCode}, or the exit code of a failed attach
     * @param message the failure with its values; may contain untrusted text
     * @param advice advice for the user; may have several lines or be empty
     */
    CommandFailed(String id, int exitCode, String message, String advice) {
        this(id, exitCode, message, advice, false);
    }

    private CommandFailed(String id, int exitCode, String message, String advice, boolean isSilent) {
        super(message, null, false, false);
        this.id = id;
        this.exitCode = exitCode;
        this.advice = advice;
        this.isSilent = isSilent;
    }

    /** Returns the failure for a pipe closed by its reader: only the exit code reports it, unless there is advice. */
    public static CommandFailed readerGone(String output) {
        return new CommandFailed(
                Message.OUTPUT.id(),
                ExitCode.READER_GONE.code(),
                "cannot write " + output + ": its reader has closed it",
                "",
                true);
    }

    /** Returns true if nothing is printed for this failure. */
    public boolean isSilent() {
        return isSilent;
    }

    /** Returns this failure with more advice. It is printed. */
    public CommandFailed advising(String more) {
        return new CommandFailed(
                id, exitCode, String.valueOf(getMessage()), advice.isEmpty() ? more : advice + "\n" + more);
    }

    /** Prints the failure, unless it is silent. Returns its exit code. */
    public int printTo(PrintStream err) {
        if (!isSilent) {
            err.println("mayfly: " + Text.printable(String.valueOf(getMessage())) + " [" + id + "]");
            advice.lines().forEach(line -> err.println("  " + Text.printable(line)));
        }
        return exitCode;
    }

    public String id() {
        return id;
    }

    public int exitCode() {
        return exitCode;
    }

    String advice() {
        return advice;
    }
}
