package mayfly.binary;

/**
 * Thrown if bytes do not have the expected format.
 *
 * <p>The message names the bytes, the position in them, and the problem. An ordinary outcome of reading untrusted data,
 * so it has no stack trace.
 */
public final class BadFormat extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * @param what the bytes, such as {@code libc.so.6 .eh_frame}
     * @param at the position in them, in bytes
     * @param problem the problem at that position
     */
    public BadFormat(String what, long at, String problem) {
        super(what + " at 0x" + Long.toHexString(at) + ": " + problem, null, false, false);
    }
}
