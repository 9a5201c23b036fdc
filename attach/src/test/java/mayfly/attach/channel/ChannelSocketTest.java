package mayfly.attach.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import mayfly.api.Status;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.HeldPath;
import mayfly.linux.sys.UnixPeer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChannelSocketTest {
    private static final String OWN = ".mayfly-123-0123456789abcdef";

    @TempDir
    private Path tmp;

    @Test
    void unlinkedSocketIsReachedThroughItsDescriptor() throws Exception {
        Path socket = Files.createDirectory(tmp.resolve(OWN)).resolve("s");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                LiveProcess process =
                        LiveProcess.open((int) ProcessHandle.current().pid())) {
            server.bind(UnixDomainSocketAddress.of(socket));
            try (HeldPath held = process.files().holdItself(socket.toString())) {
                Files.delete(socket);
                Files.delete(socket.getParent());
                try (HeldPath found = ChannelSocket.of(process, "/tmp/" + OWN + "/s")) {
                    assertThat(found.isSocket() && held.isSocket()).isTrue();
                    assertThat(UnixPeer.of(found.path()))
                            .hasValueSatisfying(peer -> assertThat(peer.pid())
                                    .isEqualTo((int) ProcessHandle.current().pid()));
                }
            }
        }
    }

    @Test
    void processWithoutAHostRecordHasNoProfiler() throws Exception {
        try (LiveProcess process =
                LiveProcess.open((int) ProcessHandle.current().pid())) {
            assertThatThrownBy(() -> ChannelSocket.of(process, "/tmp/" + OWN + "/s"))
                    .isInstanceOfSatisfying(
                            AttachFailed.class,
                            failed -> assertThat(failed.status()).isEqualTo(Status.NO_PROFILER));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/tmp/../etc/passwd",
                "/tmp/.mayfly-1-0123456789abcdef/s/../s",
                "socket:[1]",
                "/tmp/.mayfly-0123456789abcdef/s",
                "/tmp/../.mayfly-0123456789abcdef/.mayfly-0123456789abcdef0123456789abcdef"
            })
    void aChannelOfAnotherFormIsRefused(String channel) throws Exception {
        try (LiveProcess process =
                LiveProcess.open((int) ProcessHandle.current().pid())) {
            assertThatThrownBy(() -> ChannelSocket.of(process, channel))
                    .isInstanceOf(AttachFailed.class)
                    .hasMessageContaining("invalid channel");
        }
    }
}
