package mayfly.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import mayfly.api.Event;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.ChannelMessage;
import mayfly.attach.channel.HostRecord;
import mayfly.attach.client.AttachPayload;
import mayfly.attach.launch.LaunchFile;
import mayfly.profile.RuntimeId;
import mayfly.wire.launch.LaunchFlag;
import mayfly.wire.message.AttachFlag;
import mayfly.wire.message.MessageSize;
import mayfly.wire.message.MessageType;
import org.junit.jupiter.api.Test;

/**
 * The bytes that the client writes and reads, compared with wire/src/test/golden. The host's tests in C read the same
 * files.
 */
class GoldenTest {
    private static final Path FOLDER = Path.of("..", "wire", "src", "test", "golden");

    private static byte[] golden(String name) throws IOException {
        return Files.readAllBytes(FOLDER.resolve(name));
    }

    private static byte[] payload(String name, int type) throws IOException {
        byte[] message = golden(name);
        assertThat(ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).getInt())
                .isEqualTo(message.length - 4);
        assertThat(message[4]).isEqualTo((byte) type);
        return Arrays.copyOfRange(message, MessageSize.HEAD, message.length);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[][] attach(long deadline, int flags) {
        byte[] id = new byte[16];
        for (int i = 0; i < id.length; i++) {
            id[i] = (byte) (0xa0 + i);
        }
        return AttachPayload.parts(
                id,
                deadline,
                flags,
                text("loader"),
                text("bootstrap"),
                text("host"),
                text("profiler"),
                text("com.example.Profiler"),
                new byte[] {(byte) Event.CLASS_LOADS.number(), (byte) Event.SUSPENSIONS.number()},
                text("data"),
                AttachPayload.runtime(new RuntimeId(2), 0x7f00_1234_5000L),
                AttachPayload.NO_LOG);
    }

    @Test
    void attachPayloadEqualsTheGoldenMessage() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : attach(0x0102_0304_0506_0708L, AttachFlag.LASTING_COST | AttachFlag.DATA)) {
            out.write(part);
        }
        assertThat(out.toByteArray()).isEqualTo(payload("attach.bin", MessageType.ATTACH));
    }

    @Test
    void launchFileEqualsTheGoldenFile() throws IOException {
        assertThat(LaunchFile.of(
                        LaunchFlag.REMAINING_CLASSES,
                        10_000_000_000L,
                        1L << 17 | 1L << 26,
                        text("library"),
                        attach(0, AttachFlag.DATA | AttachFlag.AT_LAUNCH)))
                .isEqualTo(golden("launch.bin"));
    }

    @Test
    void goldenResultIsThrownWithItsStatusAndMessage() throws IOException {
        byte[] payload = payload("result.bin", MessageType.RESULT);
        assertThatThrownBy(() -> new ChannelMessage(MessageType.RESULT, payload).requireDone())
                .hasMessage("no room")
                .isInstanceOfSatisfying(
                        AttachFailed.class, e -> assertThat(e.status()).isEqualTo(Status.ATTACH_REFUSED));
    }

    @Test
    void goldenRecordIsReadWithAllFields() throws IOException {
        HostRecord record =
                HostRecord.parse(ByteBuffer.wrap(golden("record.bin")).order(ByteOrder.LITTLE_ENDIAN));
        assertThat(record.state()).isEqualTo(HostRecord.State.PINNED);
        assertThat(record.request()).isEqualTo("a0a1a2a3a4a5a6a7a8a9aaabacadaeaf");
        assertThat(record.channel()).isEqualTo("/tmp/.mayfly-17-0011223344556677/s");
        assertThat(record.profiler()).isEqualTo("com.example.Profiler");
        assertThat(record.pinnedBy()).isEqualTo("thread \"x\"");
        assertThat(record.attached().minus(record.detaching().orElseThrow())).isEqualTo(Duration.ofNanos(1));
        assertThat(record.expected()).isEqualTo(Duration.ofSeconds(5));
        assertThat(record.callbacks()).isEqualTo(3);
        assertThat(record.jvmti()).isTrue();
        assertThat(record.remainingClasses()).isTrue();
        assertThat(record.lost()).isEqualTo(4);
        assertThat(record.thrown()).isEqualTo(5);
        assertThat(record.collections()).isEqualTo(6);
        assertThat(record.collecting()).isEqualTo(Duration.ofMillis(7));
        assertThat(record.framesOfReplacedCode()).isEqualTo(8);
        assertThat(record.unmarkedRedefinitions()).isEqualTo(9);
        assertThat(record.runtime()).isEqualTo(2);
        assertThat(record.library()).isEqualTo(0x7f00_1234_5000L);
        assertThat(record.code()).isEqualTo(0x7f00_6789_a000L);
        assertThat(record.thread()).isEqualTo(4710);
        HostRecord.Running longest = record.longest().orElseThrow();
        assertThat(longest.tid()).isEqualTo(4711);
        assertThat(longest.callback()).isEqualTo("classLoaded");
        assertThat(record.attached().minus(longest.since())).isEqualTo(Duration.ofNanos(2));
    }
}
