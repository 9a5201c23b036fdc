package mayfly.wire.message;

/** Offsets in the payload of GONE, in bytes. */
public final class GoneOffset {
    /** The time in the garbage collections that the host requested for the detach, ns. */
    public static final int NANOS = 0;
    /** The number of these collections. */
    public static final int COLLECTIONS = 8;
    /** 1 if the profiler's classes remain. Hosts of the first versions do not send it. */
    public static final int REMAINING_CLASSES = 12;

    private GoneOffset() {}
}
