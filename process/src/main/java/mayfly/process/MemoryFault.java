package mayfly.process;

/**
 * Thrown if a range of a process's memory cannot be read: it is not mapped, the process has ended, or the range is not
 * in the recording.
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

    /** Returns the first address of the requested range. */
    public long address() {
        return address;
    }

    @Override
    public String getMessage() {
        return "cannot read " + length + " bytes at 0x" + Long.toHexString(address);
    }
}
