package mayfly.wire.message;

/** Offsets in the payload of ATTACH, in bytes. */
public final class AttachOffset {
    /** The request id. */
    public static final int REQUEST = 0;
    /** CLOCK_BOOTTIME, ns. */
    public static final int DEADLINE = 16;
    /** Values of {@link AttachFlag}. */
    public static final int FLAGS = 24;
    /** The first blob, and the length of everything before it. */
    public static final int BLOBS = 28;

    private AttachOffset() {}
}
