package mayfly.attach.client;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import mayfly.api.Status;
import mayfly.attach.channel.ChannelMessage;
import mayfly.wire.message.MessageType;

/**
 * The host at the other end of a channel: it answers each message with the bytes of a script, and closes the connection
 * if the script has no answer. It receives the first messages of its connections in the order of the connections.
 */
final class ScriptedHost implements AutoCloseable {
    /** An answer after which the connection stays open without another byte. */
    static final byte[] SILENCE = {};

    private final ServerSocketChannel server;
    private final Path socket;
    private final Function<ChannelMessage, List<byte[]>> script;
    /** The messages received so far. */
    final List<ChannelMessage> received = new CopyOnWriteArrayList<>();

    ScriptedHost(Path folder, Function<ChannelMessage, List<byte[]>> script) throws IOException {
        this.socket = folder.resolve("s");
        this.script = script;
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Thread.ofPlatform().daemon().start(this::serve);
    }

    Path socket() {
        return socket;
    }

    private void serve() {
        while (server.isOpen()) {
            try {
                SocketChannel client = server.accept();
                ChannelMessage first = receive(client);
                Thread.ofPlatform().daemon().start(() -> answer(client, first));
            } catch (IOException e) {
                return; // the test is over
            }
        }
    }

    private void answer(SocketChannel client, ChannelMessage first) {
        try (client) {
            for (ChannelMessage message = first; ; message = receive(client)) {
                List<byte[]> answers = script.apply(message);
                for (byte[] answer : answers) {
                    client.write(ByteBuffer.wrap(answer));
                }
                if (answers.isEmpty()) {
                    return;
                }
            }
        } catch (IOException e) {
            return; // the other end is closed
        }
    }

    private ChannelMessage receive(SocketChannel client) throws IOException {
        ByteBuffer head = read(client, 5);
        ChannelMessage message =
                new ChannelMessage(head.get(4), read(client, head.getInt(0) - 1).array());
        received.add(message);
        return message;
    }

    private static ByteBuffer read(SocketChannel client, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining()) {
            if (client.read(bytes) < 0) {
                throw new IOException("the other end is closed");
            }
        }
        return bytes;
    }

    static byte[] message(int type, byte[] content) {
        return ByteBuffer.allocate(5 + content.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(1 + content.length)
                .put((byte) type)
                .put(content)
                .array();
    }

    static byte[] result(Status status, String text) {
        byte[] words = text.getBytes(StandardCharsets.UTF_8);
        return message(
                MessageType.RESULT,
                ByteBuffer.allocate(12 + words.length)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(status.number())
                        .putInt(words.length)
                        .put(words)
                        .putInt(0)
                        .array());
    }

    static byte[] gone(long nanos, int collections, int remainingClasses) {
        return message(
                MessageType.GONE,
                ByteBuffer.allocate(16)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(nanos)
                        .putInt(collections)
                        .putInt(remainingClasses)
                        .array());
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.delete(socket);
    }
}
