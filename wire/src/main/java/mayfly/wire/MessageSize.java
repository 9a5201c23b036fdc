package mayfly.wire;

/** Sizes in the messages of a host's channel, in bytes. */
public final class MessageSize {
    /** The length and the type that precede each payload. */
    public static final int HEAD = 5;
    /** Upper bound on the payload of ATTACH. */
    public static final int MAX_ATTACH = 32 << 20;
    /** Upper bound on the payload of COMMAND and REPLY. */
    public static final int MAX_COMMAND = 16 << 20;
    /** Upper bound on the payload of every other request. */
    public static final int MAX_OTHER = 64 << 10;

    private MessageSize() {}
}
