package mayfly.wire.message;

/** Offsets in the payload of EMIT, in bytes. */
public final class EmitOffset {
    /** The number of emissions that were dropped before this one. */
    public static final int DROPPED = 0;

    public static final int BYTES = 8;

    private EmitOffset() {}
}
