package mayfly.attach.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.KernelClock;

/**
 * What a host says of itself in its memfd; docs/formats/host-channel.md. It is read from outside, also when the process is
 * stopped.
 *
 * @param state where the profiler's life is
 * @param channel the path at which the channel's socket was made, which its descriptor is found by
 * @param profiler the profiler's class: untrusted text
 * @param culprit what keeps it from going, empty if nothing is known: untrusted text
 * @param callbacks how many callbacks run now
 * @param longest the callback that has run longest
 * @param attached how long ago it was attached
 * @param detaching how long ago its detach was requested
 * @param expected how long the detach was announced to take
 * @param jvmti whether JVMTI was taken
 * @param dormant whether its classes will stay, because the JVM never unloads any
 * @param request the id of the request that attached it, 32 hexadecimal digits
 * @param runtime which of the process's JVMs it is in; 0 if its profiler has not arrived yet
 * @param library where the library of that JVM begins
 * @param lost events for which there was no room
 * @param thrown callbacks that threw
 */
public record HostRecord(State state, String channel, String profiler, String culprit, long callbacks, Optional<Running> longest,
                  Duration attached, Optional<Duration> detaching, Duration expected, boolean jvmti, boolean dormant,
                  String request, int runtime, long library, long lost, long thrown) {

    static final String LINK = "/memfd:mayfly-host (deleted)";
    private static final byte[] MAGIC = "MAYFLYH1".getBytes(StandardCharsets.US_ASCII);
    private static final int SIZE = 8192;
    private static final int SEQUENCE = 8;
    private static final int SLOTS = 256;
    /** A writer is done within microseconds; one that was stopped in the middle is read as it is. */
    private static final int READS = 100;
    /** Between opening a record and its magic the host makes some system calls. */
    private static final int MAKING_MILLIS = 500;

    /** The life of a hosted profiler, as others see it. */
    public enum State { INITIALIZING, ACTIVE, DETACHING, PINNED }

    /** A callback that has not returned. */
    public record Running(int tid, String callback, Duration since) {
    }

    /** By the numbers in the record. */
    private static final String[] CALLBACKS = {"initializeForAttach", "command", "detachRequested", "profilerDetachSucceeded",
        "", "threadCreated", "threadDestroyed", "classLoaded", "classUnloaded", "garbageCollectionStarted",
        "garbageCollectionFinished, classUnloaded or moduleUnloaded", "methodCompiled", "methodUnloaded",
        "runtimeSuspended", "", ""};

    /** The record of a process, empty if it has none. */
    public static Optional<HostRecord> of(LiveProcess process) throws IOException {
        for (Map.Entry<Integer, String> fd : process.descriptors().entrySet()) {
            if (fd.getValue().equals(LINK)) {
                return read(process, fd.getKey());
            }
        }
        return Optional.empty();
    }

    private static Optional<HostRecord> read(LiveProcess process, int fd) throws IOException {
        ByteBuffer last = bytes(process, fd);
        for (int i = 0; i < READS && last.hasRemaining(); i++) {
            ByteBuffer now = bytes(process, fd);
            if (now.hasRemaining() && (now.getInt(SEQUENCE) & 1) == 0 && now.getInt(SEQUENCE) == last.getInt(SEQUENCE)) {
                break;
            }
            last = now;
        }
        return last.hasRemaining() ? Optional.of(parse(last)) : Optional.empty();
    }

    /** The whole record; nothing if it has gone meanwhile. One that is just being made has its magic last. */
    private static ByteBuffer bytes(LiveProcess process, int fd) throws IOException {
        for (int i = 0; i < MAKING_MILLIS; i++) {
            ByteBuffer bytes = ByteBuffer.wrap(process.readDescriptor(fd, LINK, SIZE)).order(ByteOrder.LITTLE_ENDIAN);
            if (!bytes.hasRemaining()) {
                return bytes;
            }
            if (bytes.capacity() != SIZE || bytes.getLong(0) != 0) {
                return requireRecord(bytes);
            }
            LockSupport.parkNanos(1_000_000);
        }
        throw new IOException("a host is being made in it, and does not get on: the process is stopped, or very slow");
    }

    private static ByteBuffer requireRecord(ByteBuffer bytes) throws IOException {
        if (bytes.capacity() != SIZE || !bytes.slice(0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))) {
            throw new IOException("the host's record is not understood: it is of a newer Mayfly");
        }
        return bytes;
    }

    static HostRecord parse(ByteBuffer in) throws IOException {
        requireRecord(in);
        int state = in.getInt(12);
        if (state < 1 || state > State.values().length) {
            throw new IOException("the host's record has the state " + state);
        }
        long now = KernelClock.BOOT.nanos();
        long detaching = in.getLong(40);
        return new HostRecord(State.values()[state - 1], text(in, 128, 128), text(in, 256, 256), text(in, 512, 1024),
                in.getLong(56), longest(in, now), Duration.ofNanos(now - in.getLong(32)),
                detaching == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(now - detaching)),
                Duration.ofNanos(in.getLong(48)), in.getInt(64) != 0, in.getInt(68) != 0,
                HexFormat.of().formatHex(in.array(), 16, 32), in.getInt(88), in.getLong(96), in.getLong(72), in.getLong(80));
    }

    private static Optional<Running> longest(ByteBuffer in, long now) {
        Optional<Running> longest = Optional.empty();
        for (int i = 0; i < SLOTS; i++) {
            int at = 4096 + 16 * i;
            int tid = in.getInt(at);
            int kind = in.getInt(at + 4);
            long since = in.getLong(at + 8);
            if (tid != 0 && since != 0 && kind >= 0 && kind < CALLBACKS.length) {
                Running running = new Running(tid, CALLBACKS[kind], Duration.ofNanos(now - since));
                if (longest.isEmpty() || longest.get().since().compareTo(running.since()) < 0) {
                    longest = Optional.of(running);
                }
            }
        }
        return longest;
    }

    private static String text(ByteBuffer in, int at, int size) {
        int length = 0;
        while (length < size && in.get(at + length) != 0) {
            length++;
        }
        return new String(in.array(), at, length, StandardCharsets.UTF_8);
    }
}
