package mayfly.binary;

/**
 * Thrown if bytes do not have the expected format.
 *
 * <p>The message names the data, the position, and the problem. Has no stack trace, because it is an ordinary result of
 * reading untrusted data.
 */
public final class BadFormat extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * @param what the data, such as {@code libc.so.6 .eh_frame}
     * @param at the position in them, in bytes
     * @param problem the problem at that position
     */
    public BadFormat(String what, long at, String problem) {
        super(what + " at 0x" + Long.toHexString(at) + ": " + problem, null, false, false);
    }
}
