package mayfly.attach.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.ChannelMessage;
import mayfly.attach.channel.Deadline;
import mayfly.attach.channel.HostChannel;
import mayfly.attach.channel.HostRecord;
import mayfly.attach.channel.HostStatus;
import mayfly.wire.message.EmitOffset;
import mayfly.wire.message.FollowFlag;
import mayfly.wire.message.MessageSize;
import mayfly.wire.message.MessageType;

/**
 * The data that an active profiler emits, in order. Closing the stream does not detach the profiler, unless the stream
 * is its lease.
 */
public final class EmissionStream implements AutoCloseable {
    private static final Duration WAIT = Duration.ofDays(3650);

    /** The fate of the profiler at the end of its stream. */
    public enum AtEnd {
        /** It stays attached. */
        KEEP_PROFILER(0),
        /** It is asked to detach: the stream is its lease. */
        DETACH_PROFILER(FollowFlag.LEASE);

        private final int flags;

        AtEnd(int flags) {
            this.flags = flags;
        }
    }

    private final HostChannel channel;
    private final int pid;
    /** The id of the request that attached the profiler. */
    private final String request;

    private EmissionStream(HostChannel channel, int pid, String request) {
        this.channel = channel;
        this.pid = pid;
        this.request = request;
    }

    /** Opens a stream. */
    static EmissionStream of(AttachTarget target, HostRecord host, AtEnd atEnd, Deadline deadline)
            throws IOException, AttachFailed {
        EmissionStream following = new EmissionStream(target.channel(host, deadline), target.pid(), host.request());
        try {
            following.channel.send(
                    MessageType.FOLLOW,
                    deadline,
                    ByteBuffer.allocate(MessageSize.FLAGS)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putInt(atEnd.flags)
                            .array());
            return following;
        } catch (IOException | AttachFailed e) {
            following.close();
            throw e;
        }
    }

    /** Receives the emitted data. */
    public interface Sink {
        /**
         * Receives one emission.
         *
         * @param bytes the data of one emission
         * @param dropped the number of emissions dropped before it for lack of space
         * @return true to continue
         */
        boolean emitted(byte[] bytes, long dropped);
    }

    /**
     * Passes on the data until the profiler is detached, the target ends, or the sink stops the stream.
     *
     * @return true if the profiler was detached or the target ended
     * @throws AttachFailed if the host has closed the connection but still exists, because it has too many followers or
     *     requests
     */
    public boolean run(Sink sink) throws AttachFailed {
        try {
            for (ChannelMessage frame = next(); frame.type() != MessageType.GONE; frame = next()) {
                if (frame.type() == MessageType.EMIT
                        && frame.content().length >= EmitOffset.BYTES
                        && !pass(frame.content(), sink)) {
                    return false;
                }
            }
            return true;
        } catch (HostChannel.HostGone e) {
            requireGone();
            return true;
        } catch (IOException e) {
            throw new AttachFailed(Status.FAILED, String.valueOf(e.getMessage()));
        }
    }

    private void requireGone() throws AttachFailed {
        List<HostStatus> left;
        try {
            left = ProfilerClient.statuses(pid).known();
        } catch (AttachFailed e) {
            return; // the target has ended
        }
        if (left.stream()
                .anyMatch(status ->
                        status.request().equals(request) && status.state().equals("active"))) {
            throw new AttachFailed(Status.FAILED, "the host has closed the connection: too many followers or requests");
        }
    }

    private static boolean pass(byte[] content, Sink sink) {
        long dropped = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).getLong(EmitOffset.DROPPED);
        return sink.emitted(Arrays.copyOfRange(content, EmitOffset.BYTES, content.length), dropped);
    }

    private ChannelMessage next() throws IOException, AttachFailed {
        return channel.receive(Deadline.in(WAIT), "nothing came");
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // The host detects the end of the connection in either case.
        }
    }
}
