package mayfly.attach.channel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import mayfly.api.Status;
import mayfly.wire.message.MessageSize;
import mayfly.wire.message.MessageType;
import mayfly.wire.message.ResultOffset;

/**
 * A message on a host's channel; docs/formats/host-channel.md.
 *
 * @param type its {@link MessageType}
 * @param content the payload, which follows the type
 */
public record ChannelMessage(int type, byte[] content) {
    /**
     * Throws the failure that a RESULT contains, unless its status is OK.
     *
     * @throws AttachFailed if the status is not OK
     */
    public void requireDone() throws AttachFailed {
        ByteBuffer in = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        if (type != MessageType.RESULT || in.remaining() < ResultOffset.MESSAGE + MessageSize.LENGTH) {
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
        int length = in.remaining() < MessageSize.LENGTH ? -1 : in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new AttachFailed(Status.FAILED, "the host's answer is incomplete");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
