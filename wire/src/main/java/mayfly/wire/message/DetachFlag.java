package mayfly.wire.message;

/** The flags of DETACH, which are the first 4 bytes of its payload. */
public final class DetachFlag {
    /** The host sends GONE at the end of the detach. */
    public static final int WAIT = 1;
    /** The host begins the detach itself, without a call of {@code Profiler.detachRequested}. */
    public static final int FORCE = 2;
    /** Full collections are permitted, regardless of how long they stop the program. */
    public static final int COLLECT = 4;

    private DetachFlag() {}
}
