package mayfly.wire;

/**
 * The file that contains a host's record, a memfd. Its name is {@link #NAME} and the start address of the library of
 * the host's JVM, so that each JVM of a process can have a host.
 */
public final class HostRecordFile {
    /** The beginning of the name; the address follows. */
    public static final String NAME = HostName.MEMFD + "host-";
    /** The hexadecimal digits of the address. */
    public static final int ADDRESS_DIGITS = 16;
    /** The target of its link in /proc/PID/fd, before the address. */
    public static final String LINK = "/memfd:" + NAME;
    /** The target of its link in /proc/PID/fd, after the address. */
    public static final String LINK_END = " (deleted)";

    public static final String MAGIC = "MAYFLYH1";
    /** The size of the file, in bytes. */
    public static final int SIZE = 8192;
    /** The number of slots for running callbacks. */
    public static final int SLOTS = 256;
    /** The size of a slot, in bytes. */
    public static final int SLOT_SIZE = 16;

    private HostRecordFile() {}
}
