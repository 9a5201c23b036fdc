package mayfly.attach.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import mayfly.api.Status;
import mayfly.linux.sys.UnixPeer;
import mayfly.wire.message.MessageType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that listens and never accepts, reads or answers: every wait ends at its deadline. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SilentServerTest {
    private static final String SILENT = "it is silent";
    /** More than the buffers of a socket hold. */
    private static final int LARGE = 8 << 20;

    @TempDir
    private Path dir;

    private ServerSocketChannel server;

    @BeforeEach
    void listen() throws IOException {
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(address(), 1);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private UnixDomainSocketAddress address() {
        return UnixDomainSocketAddress.of(dir.resolve("s"));
    }

    private static Deadline soon() {
        return Deadline.in(Duration.ofMillis(100));
    }

    private HostChannel channel() throws IOException, AttachFailed {
        return new HostChannel(Connection.to(dir.resolve("s"), Deadline.in(Duration.ofSeconds(10)), SILENT));
    }

    private static void assertTimesOut(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        AttachFailed.class,
                        failed -> assertThat(failed.status()).isEqualTo(Status.TIMEOUT));
    }

    @Test
    void requestThatIsNotReadTimesOut() throws Exception {
        try (HostChannel channel = channel()) {
            assertTimesOut(() -> channel.send(MessageType.COMMAND, soon(), new byte[LARGE]));
        }
    }

    @Test
    void answerThatDoesNotComeTimesOut() throws Exception {
        try (HostChannel channel = channel()) {
            channel.send(MessageType.COMMAND, soon(), new byte[10]);
            assertTimesOut(() -> channel.receive(soon(), SILENT));
        }
    }

    @Test
    void connectionWaitsForRoomUntilTheDeadline() throws Exception {
        List<SocketChannel> waiting = new ArrayList<>();
        try {
            while (UnixPeer.of(dir.resolve("s")).isPresent()) {
                waiting.add(SocketChannel.open(address()));
            }
            assertTimesOut(() -> Connection.to(dir.resolve("s"), soon(), SILENT).close());
            Thread accepting = Thread.startVirtualThread(() -> {
                try {
                    while (true) {
                        server.accept().close();
                    }
                } catch (IOException e) {
                    return; // the server is closed
                }
            });
            channel().close();
            server.close();
            accepting.join();
        } finally {
            for (SocketChannel each : waiting) {
                each.close();
            }
        }
    }

    @Test
    void refusedConnectionFailsAtOnce() throws Exception {
        server.close();
        assertThatThrownBy(() -> Connection.to(dir.resolve("s"), Deadline.in(Duration.ofMinutes(5)), SILENT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ECONNREFUSED");
        assertThatThrownBy(() -> Connection.to(dir.resolve("none"), Deadline.in(Duration.ofMinutes(5)), SILENT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ENOENT");
    }
}
