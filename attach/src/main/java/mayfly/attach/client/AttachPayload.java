package mayfly.attach.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import mayfly.api.Event;
import mayfly.profile.RuntimeId;
import mayfly.wire.message.AttachBlob;
import mayfly.wire.message.AttachFlag;
import mayfly.wire.message.AttachOffset;
import mayfly.wire.message.AttachSize;
import mayfly.wire.message.RuntimeOffset;

/**
 * The description of a profiler for the host, sent over the channel or stored in a launch file;
 * docs/formats/host-channel.md, ATTACH.
 */
public final class AttachPayload {
    /** The runtime of a payload for a launch; the host then determines the rank itself. */
    public static final byte[] UNKNOWN_RUNTIME = new byte[AttachSize.RUNTIME];
    /** The log of a payload without a log entry. */
    public static final byte[] NO_LOG = new byte[0];

    private AttachPayload() {}

    /** Encodes the rank of the host's JVM in its process, and the start address of that JVM's library. */
    public static byte[] runtime(RuntimeId id, long library) {
        return ByteBuffer.allocate(AttachSize.RUNTIME)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(RuntimeOffset.RANK, id.number())
                .putLong(RuntimeOffset.LIBRARY, library)
                .array();
    }

    /**
     * Returns the parts of the payload, in order.
     *
     * @throws IOException if the host's classes cannot be read
     */
    public static byte[][] of(
            byte[] id,
            long deadlineNanos,
            int flags,
            ProfilerJar jar,
            Optional<byte[]> data,
            byte[] runtime,
            byte[] log)
            throws IOException {
        return parts(
                id,
                deadlineNanos,
                flags | (data.isPresent() ? AttachFlag.DATA : 0),
                HostFiles.hostClass("MemoryLoader"),
                HostFiles.hostClass("Bootstrap"),
                HostFiles.classes(jar.events()),
                jar.entries(),
                jar.className().getBytes(StandardCharsets.UTF_8),
                numbers(jar.events()),
                data.orElse(new byte[0]),
                runtime,
                log);
    }

    /**
     * Returns the parts of the payload, in order.
     *
     * @param blobs in the order of {@link AttachBlob}
     */
    public static byte[][] parts(byte[] id, long deadlineNanos, int flags, byte[]... blobs) {
        byte[][] parts = new byte[1 + blobs.length][];
        parts[0] = ByteBuffer.allocate(AttachOffset.BLOBS)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(AttachOffset.REQUEST, id)
                .putLong(AttachOffset.DEADLINE, deadlineNanos)
                .putInt(AttachOffset.FLAGS, flags)
                .array();
        for (int i = 0; i < blobs.length; i++) {
            parts[1 + i] = blob(blobs[i]);
        }
        return parts;
    }

    private static byte[] numbers(Set<Event> events) {
        byte[] numbers = new byte[events.size()];
        int count = 0;
        for (Event event : events) {
            numbers[count++] = (byte) event.number();
        }
        return numbers;
    }

    private static byte[] blob(byte[] content) {
        return ByteBuffer.allocate(4 + content.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(content.length)
                .put(content)
                .array();
    }
}
