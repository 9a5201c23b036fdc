package mayfly.wire;

/** The flags of DETACH, which are the first 4 bytes of its payload. */
public final class DetachFlag {
    /** The host reports the end by GONE. */
    public static final int WAIT = 1;
    /** The profiler is not asked. */
    public static final int FORCE = 2;
    /** Full collections are permitted, regardless of how long they stop the program. */
    public static final int COLLECT = 4;

    private DetachFlag() {}
}
