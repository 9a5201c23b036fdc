package mayfly.wire;

/** The file that a host's record is in, a memfd. */
public final class HostRecordFile {
    public static final String NAME = "mayfly-host";
    /** The target of its link in /proc/PID/fd. */
    public static final String LINK = "/memfd:" + NAME + " (deleted)";
    public static final String MAGIC = "MAYFLYH1";
    /** Bytes. */
    public static final int SIZE = 8192;
    /** The number of slots for callbacks that run. */
    public static final int SLOTS = 256;
    /** The bytes of a slot. */
    public static final int SLOT_SIZE = 16;

    private HostRecordFile() {}
}
