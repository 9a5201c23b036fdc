package mayfly.attach.channel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import mayfly.api.Status;
import mayfly.wire.MessageType;

/**
 * What goes over a host's channel; docs/formats/host-channel.md.
 *
 * @param type its {@link MessageType}
 * @param content what follows the type
 */
public record ChannelMessage(int type, byte[] content) {
    /** What we take of a host, in bytes. */
    static final int MAX_LENGTH = 17 << 20;

    /** Throws what a RESULT says, unless it says OK. */
    public void requireDone() throws AttachFailed {
        ByteBuffer in = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        if (type != MessageType.RESULT || in.remaining() < 12) {
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
