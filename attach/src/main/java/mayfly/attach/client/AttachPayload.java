package mayfly.attach.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import mayfly.api.Event;
import mayfly.profile.RuntimeId;

/** What a host is told of its profiler, over the channel or in a launch file; docs/formats/host-channel.md, ATTACH. */
public final class AttachPayload {
    public static final int FLAG_LASTING_COST = 1;
    static final int FLAG_DATA = 4;
    public static final int FLAG_AT_LAUNCH = 8;
    /** A request's id. */
    public static final int ID = 16;
    /** At launch, where the host finds its rank itself. */
    public static final byte[] UNKNOWN_RUNTIME = new byte[12];
    /** No entry is added to a log. */
    public static final byte[] NO_LOG = new byte[0];
    private static final int HEAD = 28;

    private AttachPayload() {
    }

    /** Which of the JVMs of a process the host is in, and where the library of that begins. */
    static byte[] runtime(RuntimeId id, long library) {
        return ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putInt(id.number()).putLong(library).array();
    }

    /** Its parts, in their order. */
    public static byte[][] of(byte[] id, long deadlineNanos, int flags, ProfilerJar jar, Optional<byte[]> data, byte[] runtime,
            byte[] log)
            throws IOException {
        byte[] head = ByteBuffer.allocate(HEAD).order(ByteOrder.LITTLE_ENDIAN).put(id).putLong(deadlineNanos)
                .putInt(flags | (data.isPresent() ? FLAG_DATA : 0)).array();
        return List.of(head, blob(HostFiles.hostClass("MemoryLoader")), blob(HostFiles.hostClass("Bootstrap")),
                blob(HostFiles.classes()), blob(jar.entries()), blob(jar.className().getBytes(StandardCharsets.UTF_8)),
                blob(places(jar.events())), blob(data.orElse(new byte[0])), blob(runtime), blob(log)).toArray(new byte[0][]);
    }

    private static byte[] places(Set<Event> events) {
        byte[] places = new byte[events.size()];
        int count = 0;
        for (Event event : events) {
            places[count++] = (byte) event.ordinal();
        }
        return places;
    }

    private static byte[] blob(byte[] content) {
        return ByteBuffer.allocate(4 + content.length).order(ByteOrder.LITTLE_ENDIAN).putInt(content.length).put(content).array();
    }
}
