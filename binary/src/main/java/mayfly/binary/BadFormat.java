package mayfly.binary;

/**
 * Bytes that are not what they should be.
 *
 * <p>Says which bytes, where in them, and what was expected. An ordinary outcome when reading what others wrote, so
 * it has no stack trace.
 */
public final class BadFormat extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * @param what the bytes, such as {@code libc.so.6 .eh_frame}
     * @param at position in them, in bytes
     * @param problem what is wrong there
     */
    public BadFormat(String what, long at, String problem) {
        super(what + " at 0x" + Long.toHexString(at) + ": " + problem, null, false, false);
    }
}
