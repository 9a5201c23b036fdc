package mayfly.wire;

/** Sizes in the payload of ATTACH, in bytes. */
public final class AttachSize {
    public static final int REQUEST = 16;
    /** The content of {@link AttachBlob#RUNTIME}. */
    public static final int RUNTIME = 12;

    private AttachSize() {}
}
