package mayfly.wire.message;

/** The types of the messages on a host's channel. Types below 64 are requests; the host sends the others. */
public final class MessageType {
    public static final int ATTACH = 1;
    public static final int COMMAND = 2;
    public static final int DETACH = 3;
    public static final int FOLLOW = 4;
    public static final int RESULT = 64;
    public static final int REPLY = 65;
    public static final int EMIT = 66;
    public static final int GONE = 67;

    private MessageType() {}
}
