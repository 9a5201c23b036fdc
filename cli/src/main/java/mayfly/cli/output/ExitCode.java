package mayfly.cli.output;

/** The exit codes of Mayfly. {@code run} returns the status of its program instead, once that program has started. */
public enum ExitCode {
    /** Success, even if a recording was ended early or its target used no CPU. */
    DONE(0, "done"),
    /** A failure that is not covered by another code. */
    FAILED(1, "failed"),
    /** The command line is wrong. */
    USAGE(2, "wrong command line"),
    /** No process, or several, match the target. */
    NOT_FOUND(3, "target not found or ambiguous"),
    /** The kernel does not permit the operation to this user. */
    NOT_PERMITTED(4, "not permitted"),
    /** A VM or kernel that cannot be read, or is inconsistent. */
    UNSUPPORTED(5, "unsupported or inconsistent VM or kernel"),
    /** No JDK that Mayfly itself can run on. Only the launcher returns this; EX_UNAVAILABLE of sysexits.h. */
    NO_JDK(69, "no JDK 25 or later to run on"),
    /** Ended by SIGINT before the first sample: 128 plus the signal's number, by shell convention. */
    INTERRUPTED(130, "interrupted before the first sample; nothing was written"),
    /** The reader of standard output has closed it. The exit code of a program ended by SIGPIPE. */
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
