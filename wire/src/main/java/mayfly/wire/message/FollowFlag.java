package mayfly.wire.message;

/** The flags of FOLLOW, which are the first 4 bytes of its payload, if it has one. */
public final class FollowFlag {
    /** When the connection ends, the host requests that the profiler detach. */
    public static final int LEASE = 1;

    private FollowFlag() {}
}
