package mayfly.arch;

/**
 * Reads code at addresses.
 *
 * @param <E> the exception for bytes that cannot be read
 */
@FunctionalInterface
public interface CodeSource<E extends Exception> {

    /**
     * Copies {@code length} bytes at {@code address} to {@code to[offset…]}.
     *
     * @throws E if not all of them can be read
     */
    void read(long address, byte[] to, int offset, int length) throws E;
}
