package mayfly.cli.output;

/** What Mayfly says to the shell. {@code run} passes its program's status on instead, once that program has started. */
public enum ExitCode {
    /** Done, also if a recording was ended early or its target used no CPU. */
    DONE(0, "done"),
    /** Failed for a reason that none of the others names. */
    FAILED(1, "failed"),
    /** The command line is wrong. */
    USAGE(2, "wrong command line"),
    /** No process, or several, where one was named. */
    NOT_FOUND(3, "target not found or ambiguous"),
    /** The kernel does not permit it to this user. */
    NOT_PERMITTED(4, "not permitted"),
    /** A VM or kernel that cannot be read, or contradicts itself. */
    UNSUPPORTED(5, "unsupported or inconsistent VM or kernel"),
    /** No JDK that Mayfly itself can run on. Only the launcher says this; EX_UNAVAILABLE of sysexits.h. */
    NO_JDK(69, "no JDK 25 or later to run on"),
    /** Ended by SIGINT before the first sample: 128 and the signal's number, as the shell says. */
    INTERRUPTED(130, "interrupted before the first sample; nothing was written"),
    /** The reader of standard output has closed it. What other programs exit with, which SIGPIPE ends. */
    READER_GONE(141, "the reader of standard output has closed it");

    private final int code;
    private final String meaning;

    ExitCode(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    public int code() {
        return code;
    }

    public String meaning() {
        return meaning;
    }
}
