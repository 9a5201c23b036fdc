package mayfly.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeadChannelsTest {
    @TempDir
    private Path tmp;

    private Path directory(String name) throws IOException {
        return Files.createDirectory(tmp.resolve(name));
    }

    private ServerSocketChannel listen(Path directory) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(directory.resolve("s")));
        return server;
    }

    @Test
    void onlyWhereNobodyListensItGoes() throws IOException {
        Path dead = directory(".mayfly-123-0123456789abcdef");
        listen(dead).close();
        Path empty = directory(".mayfly-123-1123456789abcdef");
        Path alive = directory(".mayfly-123-2123456789abcdef");
        Path odd = directory(".mayfly-123-not-one-of-ours");
        Path file = Files.createFile(tmp.resolve(".mayfly-123-3123456789abcdef"));
        Path link = Files.createSymbolicLink(tmp.resolve(".mayfly-123-4123456789abcdef"), odd);
        Path full = directory(".mayfly-123-5123456789abcdef");
        Path kept = Files.createFile(full.resolve("another's"));
        try (ServerSocketChannel server = listen(alive)) {
            DeadChannels.remove(tmp, OptionalInt.of(123), Instant.MAX);
            assertThat(server.isOpen()).isTrue();
        }
        assertThat(dead).doesNotExist();
        assertThat(empty).doesNotExist();
        assertThat(alive.resolve("s")).exists();
        assertThat(odd).exists();
        assertThat(file).exists();
        assertThat(Files.isSymbolicLink(link)).isTrue();
        assertThat(kept).exists();
    }

    @Test
    void oneThatIsJustBeingMadeStays() throws IOException {
        Path young = directory(".mayfly-4194305-0123456789abcdef"); // no process can have this id
        DeadChannels.remove(tmp, OptionalInt.empty(), Instant.now().minus(Duration.ofMinutes(1)));
        assertThat(young).exists();
        DeadChannels.remove(tmp, OptionalInt.empty(), Instant.now().plus(Duration.ofMinutes(1)));
        assertThat(young).doesNotExist();
    }

    /** Also if nobody listens yet, or any more. */
    @Test
    void thatOfAProcessThatIsThereStays() throws IOException {
        Path living = directory(".mayfly-" + ProcessHandle.current().pid() + "-0123456789abcdef");
        DeadChannels.remove(tmp, OptionalInt.empty(), Instant.now().plus(Duration.ofMinutes(1)));
        assertThat(living).exists();
    }

    @Test
    void thoseOfOtherProcessesStayWhenOneHasEnded() throws IOException {
        Path other = directory(".mayfly-1234-0123456789abcdef");
        DeadChannels.remove(tmp, OptionalInt.of(123), Instant.MAX);
        assertThat(other).exists();
    }
}
