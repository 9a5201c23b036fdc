package mayfly.attach.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.KernelClock;
import mayfly.wire.HostRecordFile;
import mayfly.wire.RecordOffset;
import mayfly.wire.RecordSize;
import mayfly.wire.RunningOffset;
import mayfly.wire.UpcallKind;
import mayfly.wire.life.HostState;
import org.jspecify.annotations.Nullable;

/**
 * The state that a host publishes in its memfd; docs/formats/host-channel.md. It is read from outside, even while the
 * process is stopped.
 *
 * @param state the profiler's state
 * @param channel the path at which the channel's socket was created; it identifies the socket's descriptor
 * @param profiler the profiler's class: untrusted text
 * @param pinnedBy what retains the profiler, empty if unknown: untrusted text
 * @param callbacks the number of callbacks that are running
 * @param longest the callback that has run longest
 * @param attached the time since the attach
 * @param detaching the time since the detach was requested
 * @param expected the announced duration of the detach
 * @param jvmti true if JVMTI is in use
 * @param remainingClasses true if the profiler's classes will remain, because the JVM never unloads classes
 * @param request the id of the request that attached it, 32 hexadecimal digits
 * @param runtime the rank of its JVM in the process; 0 if the host has not received the profiler yet
 * @param library the start address of that JVM's library
 * @param code the start address of the host's own library
 * @param thread the id of the host's thread in the process's own pid namespace; 0 if it has not started
 * @param lost the number of events dropped for lack of space
 * @param thrown the number of callbacks that threw an exception
 * @param collections the number of collections that the host requested to make room for a large request
 * @param collecting the duration of these collections
 * @param framesOfReplacedCode the number of frames that ran replaced code when the host last counted them
 * @param unmarkedRedefinitions the number of times that the host has redefined classes without a record for later
 *     audits
 */
public record HostRecord(
        State state,
        String channel,
        String profiler,
        String pinnedBy,
        long callbacks,
        Optional<Running> longest,
        Duration attached,
        Optional<Duration> detaching,
        Duration expected,
        boolean jvmti,
        boolean remainingClasses,
        String request,
        int runtime,
        long library,
        long code,
        int thread,
        long lost,
        long thrown,
        long collections,
        Duration collecting,
        long framesOfReplacedCode,
        long unmarkedRedefinitions) {

    /** The greatest rank of a JVM that has an id. */
    private static final int MAX_RANK = 9999;

    private static final byte[] MAGIC = HostRecordFile.MAGIC.getBytes(StandardCharsets.US_ASCII);
    /**
     * Upper bound on the number of reads. A writer finishes within microseconds; if it was stopped during an update,
     * the record is used as it is.
     */
    private static final int READS = 100;
    /**
     * Upper bound on the time in which a host creates a record. The host makes some system calls after it has opened
     * the record and before it writes the magic number.
     */
    private static final int MAKING_MILLIS = 500;

    /** The states of a hosted profiler, as seen from outside. */
    public enum State {
        INITIALIZING,
        ACTIVE,
        DETACHING,
        PINNED;

        /** Returns the state with a number of {@link HostState}; null if the number is unknown. */
        static @Nullable State of(int number) {
            return switch (number) {
                case HostState.INITIALIZING -> INITIALIZING;
                case HostState.ACTIVE -> ACTIVE;
                case HostState.DETACHING -> DETACHING;
                case HostState.PINNED -> PINNED;
                default -> null;
            };
        }
    }

    /**
     * A callback that has not returned.
     *
     * @param tid the thread that runs it, by its id in the process's own pid namespace
     * @param callback the name of the callback; empty for the host's own work and for kinds of other versions
     * @param since the time since the callback began
     */
    public record Running(int tid, String callback, Duration since) {}

    /** Returns the name of a callback in the record; empty for the host's own work and for kinds of other versions. */
    private static String callback(int kind) {
        return switch (kind) {
            case UpcallKind.INITIALIZE -> "initializeForAttach";
            case UpcallKind.COMMAND -> "command";
            case UpcallKind.DETACH_REQUESTED -> "detachRequested";
            case UpcallKind.DETACH_SUCCEEDED -> "profilerDetachSucceeded";
            case UpcallKind.THREAD_CREATED -> "threadCreated";
            case UpcallKind.THREAD_DESTROYED -> "threadDestroyed";
            case UpcallKind.VIRTUAL_THREAD_STARTED -> "virtualThreadStarted";
            case UpcallKind.VIRTUAL_THREAD_ENDED -> "virtualThreadEnded";
            case UpcallKind.CLASS_LOAD_STARTED -> "classLoadStarted";
            case UpcallKind.CLASS_LOADED -> "classLoaded";
            case UpcallKind.CLASS_UNLOADED -> "classUnloaded";
            case UpcallKind.GC_STARTED -> "garbageCollectionStarted";
            case UpcallKind.GC_FINISHED -> "garbageCollectionFinished, classUnloaded, moduleUnloaded or loaderUnloaded";
            case UpcallKind.METHOD_COMPILED -> "methodCompiled";
            case UpcallKind.METHOD_UNLOADED -> "methodUnloaded";
            case UpcallKind.RUNTIME_SUSPENDED -> "runtimeSuspended";
            case UpcallKind.EXCEPTION_THROWN -> "exceptionThrown";
            case UpcallKind.EXCEPTION_CAUGHT -> "exceptionCaught";
            case UpcallKind.LOG_LINE, UpcallKind.LOG_READ, UpcallKind.POLL -> "an asynchronous event";
            case UpcallKind.TIMER -> "timer";
            case UpcallKind.ALLOCATION_SAMPLED -> "allocationSampled";
            case UpcallKind.CONTENTION_STARTED -> "contentionStarted";
            case UpcallKind.CONTENTION_FINISHED -> "contentionFinished";
            case UpcallKind.WAIT_STARTED -> "waitStarted";
            case UpcallKind.WAIT_FINISHED, UpcallKind.WAIT_TIMED_OUT -> "waitFinished";
            default -> "";
        };
    }

    /** The content of a record cannot be read, although the process can. */
    static final class Unreadable extends IOException {
        private static final long serialVersionUID = 1;

        Unreadable(String message) {
            super(message);
        }
    }

    /**
     * Reads the record behind a descriptor; empty if it has been removed meanwhile.
     *
     * @throws Unreadable if the host does not complete the record, or only a newer Mayfly knows its format
     * @throws IOException if the process has ended, or may not be read
     */
    static Optional<HostRecord> read(LiveProcess process, int fd, String link) throws IOException {
        ByteBuffer last = bytes(process, fd, link);
        for (int i = 0; i < READS && last.hasRemaining(); i++) {
            ByteBuffer now = bytes(process, fd, link);
            if (now.hasRemaining()
                    && (now.getInt(RecordOffset.SEQUENCE) & 1) == 0
                    && now.getInt(RecordOffset.SEQUENCE) == last.getInt(RecordOffset.SEQUENCE)) {
                break;
            }
            last = now;
        }
        return last.hasRemaining() ? Optional.of(parse(last)) : Optional.empty();
    }

    /**
     * Returns the complete record, or nothing if it has been removed meanwhile. The host writes the magic number last
     * when it creates a record.
     */
    private static ByteBuffer bytes(LiveProcess process, int fd, String link) throws IOException {
        for (int i = 0; i < MAKING_MILLIS; i++) {
            ByteBuffer bytes = ByteBuffer.wrap(process.files().readDescriptor(fd, link, HostRecordFile.SIZE))
                    .order(ByteOrder.LITTLE_ENDIAN);
            if (!bytes.hasRemaining()) {
                return bytes;
            }
            if (bytes.capacity() != HostRecordFile.SIZE || bytes.getLong(0) != 0) {
                return requireRecord(bytes);
            }
            LockSupport.parkNanos(1_000_000);
        }
        throw new Unreadable(
                "a host is being created in it and makes no progress: the process is stopped, or very" + " slow");
    }

    private static ByteBuffer requireRecord(ByteBuffer bytes) throws Unreadable {
        if (bytes.capacity() != HostRecordFile.SIZE
                || !bytes.slice(0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))) {
            throw new Unreadable("the host's record has an unknown format: it was written by a newer Mayfly");
        }
        return bytes;
    }

    /**
     * Reads the bytes of a record.
     *
     * @throws IOException if the bytes are not a record, or have a format or a state that only a newer Mayfly knows
     */
    public static HostRecord parse(ByteBuffer in) throws IOException {
        requireRecord(in);
        int state = in.getInt(RecordOffset.STATE);
        State known = State.of(state);
        if (known == null) {
            throw new Unreadable("the host's record has an unknown state: " + state);
        }
        int runtime = in.getInt(RecordOffset.RUNTIME);
        if (runtime < 0 || runtime > MAX_RANK) {
            throw new Unreadable("the host's record has an invalid runtime: " + runtime);
        }
        long now = KernelClock.BOOT.nanos();
        long detaching = in.getLong(RecordOffset.DETACH_AT);
        return new HostRecord(
                known,
                text(in, RecordOffset.CHANNEL, RecordSize.CHANNEL),
                text(in, RecordOffset.PROFILER, RecordSize.PROFILER),
                text(in, RecordOffset.PINNED_BY, RecordSize.PINNED_BY),
                in.getLong(RecordOffset.CALLBACKS),
                longest(in, now),
                Duration.ofNanos(now - in.getLong(RecordOffset.ATTACHED_AT)),
                detaching == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(now - detaching)),
                Duration.ofNanos(in.getLong(RecordOffset.DETACH_EXPECTED)),
                in.getInt(RecordOffset.JVMTI) != 0,
                in.getInt(RecordOffset.REMAINING_CLASSES) != 0,
                HexFormat.of().formatHex(in.array(), RecordOffset.REQUEST, RecordOffset.REQUEST + RecordSize.REQUEST),
                runtime,
                in.getLong(RecordOffset.LIBRARY),
                in.getLong(RecordOffset.CODE),
                in.getInt(RecordOffset.THREAD),
                in.getLong(RecordOffset.LOST),
                in.getLong(RecordOffset.THROWN),
                Integer.toUnsignedLong(in.getInt(RecordOffset.COLLECTIONS)),
                Duration.ofNanos(in.getLong(RecordOffset.COLLECTING)),
                Integer.toUnsignedLong(in.getInt(RecordOffset.REPLACED_FRAMES)),
                Integer.toUnsignedLong(in.getInt(RecordOffset.UNMARKED_REDEFINITIONS)));
    }

    /** Returns the id of its JVM in the process, such as {@code r1}; empty if it has not received the profiler yet. */
    public Optional<String> id() {
        return runtime == 0 ? Optional.empty() : Optional.of("r" + runtime);
    }

    private static Optional<Running> longest(ByteBuffer in, long now) {
        Optional<Running> longest = Optional.empty();
        for (int i = 0; i < HostRecordFile.SLOTS; i++) {
            int at = RecordOffset.RUNNING + HostRecordFile.SLOT_SIZE * i;
            int tid = in.getInt(at + RunningOffset.TID);
            int kind = in.getInt(at + RunningOffset.KIND);
            long since = in.getLong(at + RunningOffset.SINCE);
            if (tid != 0 && since != 0 && kind >= 0 && kind < UpcallKind.COUNT) {
                Running running = new Running(tid, callback(kind), Duration.ofNanos(now - since));
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
