package mayfly.arch;

/**
 * Bytes of code at addresses.
 *
 * @param <E> says that bytes cannot be read
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
