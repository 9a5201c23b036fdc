package mayfly.attach;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import mayfly.api.Status;

/** What an active profiler emits, as it comes. Closing it does not detach the profiler, unless it was {@link Trigger#attachLeased}. */
public final class Following implements AutoCloseable {
    private static final Duration WAIT = Duration.ofDays(3650);

    private static final int LEASE = 1;

    private final HostChannel channel;

    Following(HostChannel channel) {
        this.channel = channel;
    }

    /** @param lease whether the profiler shall be told to go when this ends */
    static Following of(TargetJvm target, boolean lease, Deadline deadline) throws IOException, AttachFailed {
        Following following = new Following(HostChannel.open(target.process(), target.requireHost(), deadline));
        try {
            following.channel.send(Frame.FOLLOW, deadline,
                    ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(lease ? LEASE : 0).array());
            return following;
        } catch (IOException | AttachFailed e) {
            following.close();
            throw e;
        }
    }

    /** Receives what is emitted. */
    public interface Sink {
        /**
         * @param bytes what was emitted at once
         * @param dropped how often there was no room before it
         */
        void emitted(byte[] bytes, long dropped);
    }

    /** Passes on what comes until the profiler is detached, or the target ends. */
    public void run(Sink sink) throws AttachFailed {
        try {
            for (Frame frame = next(); frame.type() != Frame.GONE; frame = next()) {
                if (frame.type() == Frame.EMIT && frame.content().length >= 8) {
                    long dropped = ByteBuffer.wrap(frame.content()).order(ByteOrder.LITTLE_ENDIAN).getLong();
                    sink.emitted(Arrays.copyOfRange(frame.content(), 8, frame.content().length), dropped);
                }
            }
        } catch (HostChannel.HostGone e) {
            return;
        } catch (IOException e) {
            throw new AttachFailed(Status.FAILED, String.valueOf(e.getMessage()));
        }
    }

    private Frame next() throws IOException, AttachFailed {
        return channel.receive(Deadline.in(WAIT), "nothing came");
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // The host notices an end in either way.
        }
    }
}
