package mayfly.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import mayfly.linux.LiveProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChannelDirectoryTest {
    private static final String OWN = ".mayfly-123-0123456789abcdef";

    @TempDir
    private Path tmp;

    /** Any process can hold a descriptor of another's directory, and name it in a record. */
    @Test
    void theDirectoryThatAnotherProcessListensInStays() throws Exception {
        Path directory = Files.createDirectory(tmp.resolve(OWN));
        Process holder = new ProcessBuilder("/bin/sh", "-c", "exec 9<\"$1\"; echo ready; read end", "sh",
                directory.toString()).start();
        try (ServerSocketChannel server = listen(directory);
                LiveProcess process = LiveProcess.open((int) holder.pid())) {
            assertThat(holder.inputReader().readLine()).isEqualTo("ready");
            remove(process);
            assertThat(directory.resolve("s")).exists();
            assertThat(server.isOpen()).isTrue();
        } finally {
            holder.destroyForcibly().waitFor();
        }
    }

    @Test
    void theOneThatItsOwnProcessListensInIsRemoved() throws Exception {
        Path directory = Files.createDirectory(tmp.resolve(OWN));
        try (FileChannel held = FileChannel.open(directory, StandardOpenOption.READ);
                ServerSocketChannel server = listen(directory);
                LiveProcess process = LiveProcess.open((int) ProcessHandle.current().pid())) {
            remove(process);
            assertThat(directory).doesNotExist();
            assertThat(server.isOpen() && held.isOpen()).isTrue();
        }
    }

    private static ServerSocketChannel listen(Path directory) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(directory.resolve("s")));
        return server;
    }

    private static void remove(LiveProcess process) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(8192).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(0, "MAYFLYH1".getBytes(StandardCharsets.US_ASCII));
        bytes.putInt(12, 2);
        bytes.put(128, ("/tmp/" + OWN + "/s").getBytes(StandardCharsets.US_ASCII));
        try (ChannelDirectory.Leftover leftover = ChannelDirectory.Leftover.of(process, HostRecord.parse(bytes))) {
            leftover.remove();
        }
    }
}
