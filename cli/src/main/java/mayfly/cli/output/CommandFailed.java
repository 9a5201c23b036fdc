package mayfly.cli.output;

import java.io.PrintStream;

/** A command ends here: a message for the user, and an exit code. */
public final class CommandFailed extends Exception {
    private static final long serialVersionUID = 1;

    private final String id;
    private final int exitCode;
    private final String advice;
    private final boolean isSilent;

    /**
     * @param id the message's word, see {@link Message#id}
     * @param exitCode an {@link ExitCode}, or what a failed attach exits with
     * @param message what failed, with the values; may carry untrusted text
     * @param advice what to do about it, may be of several lines, may be empty
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

    /** The reader of a pipe has closed it: an end that only the exit code reports, unless there is advice. */
    public static CommandFailed readerGone(String output) {
        return new CommandFailed(Message.OUTPUT.id(), ExitCode.READER_GONE.code(),
                "cannot write " + output + ": its reader has closed it", "", true);
    }

    /** Returns true if nothing is printed about it. */
    public boolean isSilent() {
        return isSilent;
    }

    /** The same with more advice. It is printed. */
    public CommandFailed advising(String more) {
        return new CommandFailed(id, exitCode, String.valueOf(getMessage()), advice.isEmpty() ? more : advice + "\n" + more);
    }

    /** Prints the failure, unless it is a silent one. Returns its exit code. */
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
