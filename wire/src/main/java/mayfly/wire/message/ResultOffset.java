package mayfly.wire.message;

/** Offsets in the payload of RESULT, in bytes. The length and the bytes of the detail follow the message. */
public final class ResultOffset {
    /** A number of {@link mayfly.api.Status}. */
    public static final int STATUS = 0;

    public static final int MESSAGE_LENGTH = 4;
    public static final int MESSAGE = 8;

    private ResultOffset() {}
}
