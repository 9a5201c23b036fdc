package mayfly.wire;

/** The file that contains a host's record, a memfd. */
public final class HostRecordFile {
    public static final String NAME = HostName.MEMFD + "host";
    /** The target of its link in /proc/PID/fd. */
    public static final String LINK = "/memfd:" + NAME + " (deleted)";

    public static final String MAGIC = "MAYFLYH1";
    /** The size of the file, in bytes. */
    public static final int SIZE = 8192;
    /** The number of slots for running callbacks. */
    public static final int SLOTS = 256;
    /** The size of a slot, in bytes. */
    public static final int SLOT_SIZE = 16;

    private HostRecordFile() {}
}
