package mayfly.attach.channel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import mayfly.api.Status;

/**
 * What goes over a host's channel; docs/formats/host-channel.md.
 *
 * @param type its type
 * @param content what follows the type
 */
public record ChannelMessage(int type, byte[] content) {
    public static final int ATTACH = 1;
    public static final int COMMAND = 2;
    public static final int DETACH = 3;
    public static final int FOLLOW = 4;
    static final int RESULT = 64;
    public static final int REPLY = 65;
    public static final int EMIT = 66;
    public static final int GONE = 67;
    /** What we take of a host, in bytes. */
    static final int MOST = 17 << 20;

    /** Throws what a RESULT says, unless it says OK. */
    public void requireDone() throws AttachFailed {
        ByteBuffer in = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        if (type != RESULT || in.remaining() < 12) {
            throw new AttachFailed(Status.FAILED, "the host's answer is not understood (type " + type + ")");
        }
        Status status = Status.of(in.getInt());
        String message = text(in);
        String detail = text(in);
        if (status != Status.OK) {
            throw new AttachFailed(status, message.isEmpty() ? status.meaning() : message, detail);
        }
    }

    private static String text(ByteBuffer in) throws AttachFailed {
        int length = in.remaining() < 4 ? -1 : in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new AttachFailed(Status.FAILED, "the host's answer is cut off");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
