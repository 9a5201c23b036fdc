package mayfly.process;

/**
 * A range of a process's memory that could not be read: not mapped, gone, or not in the recording.
 *
 * <p>An ordinary outcome when reading a running process, so it has no stack trace.
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

    /** The first address of the range that was wanted. */
    public long address() {
        return address;
    }

    @Override
    public String getMessage() {
        return "cannot read " + length + " bytes at 0x" + Long.toHexString(address);
    }
}
