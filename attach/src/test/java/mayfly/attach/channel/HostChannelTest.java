package mayfly.attach.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.HeldPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostChannelTest {
    private static final String OWN = ".mayfly-123-0123456789abcdef";

    @TempDir
    private Path tmp;

    /** A host that is being unloaded closes its listener before the descriptor of the socket. */
    @Test
    void heldSocketWithoutAListenerMeansNoProfiler() throws Exception {
        Path socket = Files.createDirectory(tmp.resolve(OWN)).resolve("s");
        try (LiveProcess process =
                LiveProcess.open((int) ProcessHandle.current().pid())) {
            try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                server.bind(UnixDomainSocketAddress.of(socket));
            }
            try (HeldPath held = process.files().holdItself(socket.toString())) {
                Files.delete(socket);
                assertThatThrownBy(() -> HostChannel.open(
                                        process, record("/tmp/" + OWN + "/s"), Deadline.in(Duration.ofMinutes(1)))
                                .close())
                        .as(held.path().toString())
                        .isInstanceOfSatisfying(
                                AttachFailed.class,
                                failed -> assertThat(failed.status()).isEqualTo(Status.NO_PROFILER));
            }
        }
    }

    private static HostRecord record(String channel) {
        return new HostRecord(
                HostRecord.State.ACTIVE,
                channel,
                "P",
                "",
                0,
                Optional.empty(),
                Duration.ZERO,
                Optional.empty(),
                Duration.ZERO,
                false,
                false,
                "",
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                Duration.ZERO,
                0,
                0);
    }
}
