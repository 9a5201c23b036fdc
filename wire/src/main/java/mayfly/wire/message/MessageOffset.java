package mayfly.wire.message;

/** Offsets in a message on a host's channel, in bytes. */
public final class MessageOffset {
    /** The length of everything that follows it. */
    public static final int LENGTH = 0;
    /** A number of {@link MessageType}. */
    public static final int TYPE = 4;

    public static final int PAYLOAD = 5;

    private MessageOffset() {}
}
