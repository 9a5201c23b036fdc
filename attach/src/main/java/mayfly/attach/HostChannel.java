package mayfly.attach;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import jdk.net.ExtendedSocketOptions;
import mayfly.api.Status;
import mayfly.linux.HeldPath;
import mayfly.linux.LiveProcess;

/** A connection to a host. Every wait has a deadline. */
final class HostChannel implements AutoCloseable {
    private final SocketChannel socket;
    private final Selector selector;

    private HostChannel(SocketChannel socket, Selector selector) {
        this.socket = socket;
        this.selector = selector;
    }

    /** Connects to the socket that the host's record names, and makes sure that the target's user listens there. */
    static HostChannel open(LiveProcess process, HostRecord record) throws IOException, AttachFailed {
        if (!record.channel().startsWith("/tmp/.mayfly-")) {
            throw new AttachFailed(Status.FAILED, "the host's record names an odd channel: " + record.channel());
        }
        try (HeldPath path = process.hold(record.channel())) {
            int owner = process.status().euid();
            if (!path.isSocket() || path.owner() != owner) {
                throw new AttachFailed(Status.FAILED, record.channel() + " is not a socket of user id " + owner);
            }
            SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                socket.connect(UnixDomainSocketAddress.of(path.path()));
                requirePeer(socket, path.path());
                socket.configureBlocking(false);
                Selector selector = Selector.open();
                socket.register(selector, 0);
                return new HostChannel(socket, selector);
            } catch (IOException | AttachFailed e) {
                socket.close();
                throw e;
            }
        }
    }

    /** The name must be that of the socket's owner, whom we know. */
    private static void requirePeer(SocketChannel socket, Path path) throws IOException, AttachFailed {
        String peer = socket.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
        String owner = Files.getOwner(path).getName();
        if (!peer.equals(owner)) {
            throw new AttachFailed(Status.FAILED, "on the host's channel listens " + peer + ", not " + owner);
        }
    }

    void send(int type, Deadline deadline, byte[]... parts) throws IOException, AttachFailed {
        int length = 1;
        for (byte[] part : parts) {
            length = Math.addExact(length, part.length);
        }
        write(ByteBuffer.allocate(5).order(ByteOrder.LITTLE_ENDIAN).putInt(length).put((byte) type).flip(), deadline);
        for (byte[] part : parts) {
            write(ByteBuffer.wrap(part), deadline);
        }
    }

    private void write(ByteBuffer bytes, Deadline deadline) throws IOException, AttachFailed {
        while (bytes.hasRemaining()) {
            if (socket.write(bytes) == 0) {
                await(SelectionKey.OP_WRITE, deadline.millisLeft("the host did not take the request"));
            }
        }
    }

    /** The next frame; fails when the deadline is over. */
    Frame receive(Deadline deadline, String waitingFor) throws IOException, AttachFailed {
        ByteBuffer head = ByteBuffer.allocate(5).order(ByteOrder.LITTLE_ENDIAN);
        fill(head, deadline, waitingFor);
        int length = head.getInt(0) - 1;
        if (length < 0 || length > Frame.MOST) {
            throw new AttachFailed(Status.FAILED, "the host sent a frame of " + length + " bytes");
        }
        ByteBuffer content = ByteBuffer.allocate(length);
        fill(content, deadline, waitingFor);
        return new Frame(head.get(4) & 0xff, content.array());
    }

    private void fill(ByteBuffer into, Deadline deadline, String waitingFor) throws IOException, AttachFailed {
        while (into.hasRemaining()) {
            int count = socket.read(into);
            if (count < 0) {
                throw new HostGone();
            }
            if (count == 0) {
                await(SelectionKey.OP_READ, deadline.millisLeft(waitingFor));
            }
        }
    }

    private void await(int operation, int millis) throws IOException {
        socket.keyFor(selector).interestOps(operation);
        selector.select(millis);
        selector.selectedKeys().clear();
    }

    @Override
    public void close() throws IOException {
        selector.close();
        socket.close();
    }

    /** The other end is closed: the host is gone, or its process is. */
    static final class HostGone extends IOException {
        private static final long serialVersionUID = 1;

        HostGone() {
            super("the target has ended, or its host is gone");
        }
    }
}
