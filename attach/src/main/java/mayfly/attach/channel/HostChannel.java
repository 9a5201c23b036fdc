package mayfly.attach.channel;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.HeldPath;
import mayfly.linux.sys.UnixPeer;
import mayfly.wire.message.MessageOffset;
import mayfly.wire.message.MessageSize;

/** A connection to a host. Every wait has a deadline. */
public final class HostChannel implements AutoCloseable {
    private static final int POLL_MILLIS = 2;
    private static final String BUSY = "the host did not accept the request";

    private final Connection connection;

    /** @param connection a connection to the socket of a host */
    public HostChannel(Connection connection) {
        this.connection = connection;
    }

    /**
     * Connects to the socket that the host's record names, and verifies that the target listens there.
     *
     * @throws AttachFailed if the target does not listen there, or the deadline expires
     * @throws IOException if the process has ended, or its descriptors cannot be read
     */
    public static HostChannel open(LiveProcess process, HostRecord record, Deadline deadline)
            throws IOException, AttachFailed {
        try (HeldPath path = ChannelSocket.of(process, record.channel())) {
            if (!path.isSocket()) {
                throw new AttachFailed(Status.FAILED, record.channel() + " is not a socket");
            }
            requirePeer(process, path, deadline);
            return new HostChannel(Connection.to(path.path(), deadline, BUSY));
        } catch (IOException e) {
            if (isClosed(e)) {
                throw ChannelSocket.closed(process, record.channel());
            }
            throw e;
        }
    }

    /**
     * Requires that the target listens on the socket. The socket is held, so its listener cannot change afterwards. A
     * check of the socket's owner would be weaker, because the target may have changed its user.
     */
    private static void requirePeer(LiveProcess process, HeldPath path, Deadline deadline)
            throws IOException, AttachFailed {
        Optional<UnixPeer> peer = UnixPeer.of(path.path());
        while (peer.isEmpty()) {
            deadline.pause(POLL_MILLIS, BUSY);
            peer = UnixPeer.of(path.path());
        }
        if (peer.get().pid() != process.pid()) {
            throw new AttachFailed(
                    Status.FAILED,
                    "the host's channel belongs to process " + peer.get().pid() + ", not to process " + process.pid());
        }
    }

    /**
     * Returns true if no process listens on the socket, or its descriptor is gone: the host may close both at any time.
     */
    private static boolean isClosed(IOException e) {
        return e instanceof ConnectException
                || e instanceof ErrnoException call
                        && (call.errno() == Errno.ECONNREFUSED || call.errno() == Errno.ENOENT);
    }

    /**
     * Sends a message.
     *
     * @param type one of {@link mayfly.wire.message.MessageType}
     * @param parts the content
     * @throws HostGone if the connection fails
     * @throws IOException if this thread is interrupted; otherwise only as {@link HostGone}
     * @throws AttachFailed if the deadline expires
     */
    public void send(int type, Deadline deadline, byte[]... parts) throws IOException, AttachFailed {
        int length = 1;
        for (byte[] part : parts) {
            length = Math.addExact(length, part.length);
        }
        ByteBuffer head = ByteBuffer.allocate(MessageSize.HEAD)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length)
                .put((byte) type)
                .flip();
        try {
            connection.write(head, deadline, BUSY);
            for (byte[] part : parts) {
                connection.write(ByteBuffer.wrap(part), deadline, BUSY);
            }
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new HostGone(e);
        }
    }

    /**
     * Returns the next message.
     *
     * @param waitingFor the error message if the deadline expires
     * @throws AttachFailed if the deadline expires, or the length of the message is invalid
     * @throws HostGone if the connection fails
     * @throws IOException if this thread is interrupted; otherwise only as {@link HostGone}
     */
    public ChannelMessage receive(Deadline deadline, String waitingFor) throws IOException, AttachFailed {
        ByteBuffer head = ByteBuffer.allocate(MessageSize.HEAD).order(ByteOrder.LITTLE_ENDIAN);
        fill(head, deadline, waitingFor);
        int length = head.getInt(MessageOffset.LENGTH) - 1;
        if (length < 0 || length > MessageSize.MAX_FROM_HOST) {
            throw new AttachFailed(Status.FAILED, "the host sent a message of invalid length: " + length + " bytes");
        }
        ByteBuffer content = ByteBuffer.allocate(length);
        fill(content, deadline, waitingFor);
        return new ChannelMessage(head.get(MessageOffset.TYPE) & 0xff, content.array());
    }

    private void fill(ByteBuffer into, Deadline deadline, String waitingFor) throws IOException, AttachFailed {
        try {
            connection.fill(into, deadline, waitingFor);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new HostGone(e);
        }
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }

    /** The other end is closed, possibly with unread data: the host or its process has ended. */
    public static final class HostGone extends IOException {
        private static final long serialVersionUID = 1;

        HostGone(IOException cause) {
            super("its host is gone", cause);
        }
    }
}
