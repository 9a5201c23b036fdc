package mayfly.attach.channel;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Any bytes that a host sends are parsed as frames or refused; a result is OK or contains a reason. */
class ChannelMessageFuzzTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path SOCKET = socket();
    private static final ServerSocketChannel HOST = listen();

    private static Path socket() {
        try {
            Path folder = Files.createTempDirectory("mayfly-fuzz");
            folder.toFile().deleteOnExit();
            Path socket = folder.resolve("s");
            socket.toFile().deleteOnExit();
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ServerSocketChannel listen() {
        try {
            return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(SOCKET));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @FuzzTest
    void frames(byte[] sent) throws IOException {
        Deadline deadline = Deadline.in(PATIENCE);
        int taken = 0;
        try (HostChannel channel = new HostChannel(Connection.to(SOCKET, deadline, "not connected"))) {
            try (SocketChannel host = HOST.accept()) {
                ByteBuffer bytes = ByteBuffer.wrap(sent);
                while (bytes.hasRemaining()) {
                    host.write(bytes);
                }
            }
            for (; ; ) {
                ChannelMessage frame = channel.receive(deadline, "nothing came");
                taken += 5 + frame.content().length;
                assertThat(frame.type()).isBetween(0, 255);
                require(frame);
            }
        } catch (HostChannel.HostGone e) {
            assertThat(taken).isLessThanOrEqualTo(sent.length);
        } catch (AttachFailed e) {
            assertThat(e).hasMessageStartingWith("the host sent a message of ");
        }
    }

    private static void require(ChannelMessage frame) {
        try {
            frame.requireDone();
        } catch (AttachFailed e) {
            assertThat(e.status()).isNotNull();
            assertThat(e.getMessage()).isNotEmpty();
        }
    }
}
