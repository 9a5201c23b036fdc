package mayfly.attach.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import mayfly.api.Status;
import mayfly.wire.message.MessageType;
import org.junit.jupiter.api.Test;

class ChannelMessageTest {

    private static byte[] result(int status, String message, String detail) {
        byte[] first = message.getBytes(StandardCharsets.UTF_8);
        byte[] second = detail.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(12 + first.length + second.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(status)
                .putInt(first.length)
                .put(first)
                .putInt(second.length)
                .put(second)
                .array();
    }

    @Test
    void resultWithStatusOkIsDoneAndAnyOtherStatusFails() throws AttachFailed {
        new ChannelMessage(MessageType.RESULT, result(0, "", "")).requireDone();
        assertThatThrownBy(() -> new ChannelMessage(MessageType.RESULT, result(8, "no", "trace")).requireDone())
                .isInstanceOfSatisfying(AttachFailed.class, e -> {
                    assertThat(e.status()).isEqualTo(Status.PROFILER_CANCEL_ACTIVATION);
                    assertThat(e).hasMessage("no");
                    assertThat(e.detail()).isEqualTo("trace");
                });
        assertThatThrownBy(() -> new ChannelMessage(MessageType.RESULT, result(5, "", "")).requireDone())
                .hasMessage(Status.PROFILER_DETACHING.meaning());
    }

    @Test
    void unknownStatusOfANewerMayflyIsFailed() {
        assertThatThrownBy(() -> new ChannelMessage(MessageType.RESULT, result(4711, "new", "")).requireDone())
                .isInstanceOfSatisfying(
                        AttachFailed.class, e -> assertThat(e.status()).isEqualTo(Status.FAILED));
    }

    @Test
    void truncatedResultOrFrameOfAnotherTypeFails() {
        byte[] whole = result(0, "message", "detail");
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> new ChannelMessage(MessageType.RESULT, part).requireDone())
                    .as("%d bytes", length)
                    .isInstanceOf(AttachFailed.class);
        }
        assertThatThrownBy(() -> new ChannelMessage(MessageType.EMIT, whole).requireDone())
                .isInstanceOf(AttachFailed.class);
    }
}
