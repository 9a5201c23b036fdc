package mayfly.wire.message;

/** Sizes in the payload of ATTACH, in bytes. */
public final class AttachSize {
    public static final int REQUEST = 16;
    /** The request id in the options of the load, in hexadecimal digits. */
    public static final int REQUEST_DIGITS = 2 * REQUEST;
    /** The content of {@link AttachBlob#RUNTIME}. */
    public static final int RUNTIME = 12;

    private AttachSize() {}
}
