package mayfly.wire;

/** Offsets in a host's record, in bytes. A constant has the name of the field in C's {@code struct record}. */
public final class RecordOffset {
    public static final int MAGIC = 0;
    public static final int SEQUENCE = 8;
    /** A value of {@link mayfly.wire.life.HostState}. */
    public static final int STATE = 12;

    public static final int REQUEST = 16;
    /** CLOCK_BOOTTIME, ns. */
    public static final int ATTACHED_AT = 32;
    /** CLOCK_BOOTTIME, ns; 0 if no detach was requested. */
    public static final int DETACH_AT = 40;
    /** The announced duration of the detach, ns. */
    public static final int DETACH_EXPECTED = 48;

    public static final int CALLBACKS = 56;
    public static final int JVMTI = 64;
    public static final int REMAINING_CLASSES = 68;
    public static final int LOST = 72;
    public static final int THROWN = 80;
    public static final int RUNTIME = 88;
    /** The number of collections that the host requested to make room for a large request. */
    public static final int COLLECTIONS = 92;

    public static final int LIBRARY = 96;
    /** The duration of the collections that {@link #COLLECTIONS} counts, ns. */
    public static final int COLLECTING = 104;
    /** The start address of the host's own library. */
    public static final int CODE = 112;
    /** The id of the host's thread in the innermost pid namespace; 0 if it has not started. */
    public static final int THREAD = 120;
    /**
     * 1 if a host of another JVM has left it to this one to stop the attach listener; 2 once this host is ending, and
     * no other may leave that to it.
     */
    public static final int STOPS_LISTENER = 124;

    public static final int CHANNEL = 128;
    public static final int PROFILER = 256;
    public static final int PINNED_BY = 512;
    /** The number of redefinitions of classes by the host that the {@link AnchorPage} does not have. */
    public static final int UNMARKED_REDEFINITIONS = 4088;
    /** The number of frames that ran replaced code when they were last counted. */
    public static final int REPLACED_FRAMES = 4092;

    public static final int RUNNING = 4096;

    private RecordOffset() {}
}
