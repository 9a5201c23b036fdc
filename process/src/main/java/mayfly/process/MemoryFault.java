package mayfly.process;

/**
 * Thrown if a range of a process's memory cannot be read: the range is not mapped, the process has ended, or the
 * process is a recorded one and the range was not recorded.
 *
 * <p>Has no stack trace, because it is an ordinary result of reading a running process.
 */
public final class MemoryFault extends Exception {
    private static final long serialVersionUID = 1L;

    private final long address;
    private final int length;

    public MemoryFault(long address, int length) {
        super(null, null, false, false);
        this.address = address;
        this.length = length;
    }

    /**
     * Returns the first address of the range that could not be read. A cache or a recording reads whole pages or
     * blocks, so this range can differ from the one that the caller requested.
     */
    public long address() {
        return address;
    }

    @Override
    public String getMessage() {
        return "cannot read " + length + " bytes at 0x" + Long.toHexString(address);
    }
}
