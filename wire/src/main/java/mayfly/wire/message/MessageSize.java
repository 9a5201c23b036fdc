package mayfly.wire.message;

/** Sizes in the messages of a host's channel, in bytes. */
public final class MessageSize {
    /** The length and the type that precede each payload. */
    public static final int HEAD = MessageOffset.PAYLOAD;
    /** The flags at the beginning of the payload of DETACH, and of FOLLOW if it has one. */
    public static final int FLAGS = 4;
    /** The length before a text or a blob. */
    public static final int LENGTH = 4;
    /** The payload of GONE. */
    public static final int GONE = 16;
    /** Upper bound on a message from a host: REPLY, with room for later versions. */
    public static final int MAX_FROM_HOST = 17 << 20;
    /** Upper bound on the payload of ATTACH. */
    public static final int MAX_ATTACH = 32 << 20;
    /** Upper bound on the payload of COMMAND and REPLY. */
    public static final int MAX_COMMAND = 16 << 20;
    /** Upper bound on the payload of every other request. */
    public static final int MAX_OTHER = 64 << 10;

    private MessageSize() {}
}
