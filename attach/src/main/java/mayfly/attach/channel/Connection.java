package mayfly.attach.channel;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import mayfly.linux.sys.UnixPeer;

/**
 * A connection to a Unix stream socket of a target. Every wait has a deadline, including that for the connection
 * itself.
 */
public final class Connection implements AutoCloseable {
    private static final int POLL_MILLIS = 2;

    private final SocketChannel socket;
    private final Selector selector;

    private Connection(SocketChannel socket, Selector selector) {
        this.socket = socket;
        this.selector = selector;
    }

    /**
     * Connects. While the backlog of the listener is full, a blocking connect would ignore the deadline, and a selector
     * does not report free space in the backlog. Therefore this method polls.
     *
     * @param waiting the message if the deadline expires
     * @throws AttachFailed if the deadline expires
     * @throws IOException if the connection is refused or cannot be made
     */
    public static Connection to(Path path, Deadline deadline, String waiting) throws IOException, AttachFailed {
        for (; ; ) {
            SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
            Connection connection = null;
            try {
                socket.configureBlocking(false);
                if (socket.connect(UnixDomainSocketAddress.of(path))) {
                    Selector selector = Selector.open();
                    socket.register(selector, 0);
                    connection = new Connection(socket, selector);
                    return connection;
                }
            } catch (SocketException e) {
                // Java also reports a full backlog by this exception, with a text in the user's language. UnixPeer.of
                // throws for any other error.
                UnixPeer.of(path);
            } finally {
                if (connection == null) {
                    socket.close();
                }
            }
            deadline.pause(POLL_MILLIS, waiting);
        }
    }

    /**
     * Writes all bytes.
     *
     * @param waiting the message if the deadline expires
     * @throws IOException if the connection fails, or this thread is interrupted while it waits
     * @throws AttachFailed if the deadline expires
     */
    public void write(ByteBuffer bytes, Deadline deadline, String waiting) throws IOException, AttachFailed {
        while (bytes.hasRemaining()) {
            if (socket.write(bytes) == 0) {
                await(SelectionKey.OP_WRITE, deadline.millisLeft(waiting));
            }
        }
    }

    /**
     * Reads at least one byte, and fails when the deadline expires. Returns -1 if the other end is closed.
     *
     * @throws IOException if the connection fails, or this thread is interrupted while it waits
     * @throws AttachFailed if the deadline expires
     */
    public int read(ByteBuffer into, Deadline deadline, String waiting) throws IOException, AttachFailed {
        int count = socket.read(into);
        while (count == 0 && into.hasRemaining()) {
            await(SelectionKey.OP_READ, deadline.millisLeft(waiting));
            count = socket.read(into);
        }
        return count;
    }

    /** Reads until the buffer is full. */
    void fill(ByteBuffer into, Deadline deadline, String waiting) throws IOException, AttachFailed {
        while (into.hasRemaining()) {
            if (read(into, deadline, waiting) < 0) {
                throw new EOFException("the other end is closed");
            }
        }
    }

    private void await(int operation, int millis) throws IOException {
        socket.keyFor(selector).interestOps(operation);
        selector.select(millis);
        selector.selectedKeys().clear();
        // An interrupt ends each select at once, so the caller would repeat it without a pause.
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("the thread was interrupted");
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
        socket.close();
    }
}
