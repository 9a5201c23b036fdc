package mayfly.wire;

/** Sizes in a host's record, in bytes. A constant has the name of the field in C's {@code struct record}. */
public final class RecordSize {
    public static final int MAGIC = 8;
    public static final int REQUEST = 16;
    public static final int CHANNEL = 128;
    public static final int PROFILER = 256;
    public static final int PINNED_BY = 1024;
    public static final int RUNNING = 4096;

    private RecordSize() {}
}
