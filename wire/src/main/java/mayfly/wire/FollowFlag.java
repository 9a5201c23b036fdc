package mayfly.wire;

/** The flags of FOLLOW, which are the first 4 bytes of its payload, if it has one. */
public final class FollowFlag {
    /** The profiler is asked to detach when the connection ends. */
    public static final int LEASE = 1;

    private FollowFlag() {}
}
