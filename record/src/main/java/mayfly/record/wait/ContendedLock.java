package mayfly.record.wait;

import java.util.ArrayList;
import java.util.List;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;

/**
 * The lock for which a blocked thread waited when its stack was copied.
 *
 * @param runtime the runtime of the thread
 * @param kind the kind of the lock
 * @param type the name of the class of the locked object, or of the synchronizer: untrusted text
 * @param address the address of the runtime's monitor, or of the synchronizer, which a collection may move later
 * @param owner {@code owned by NAME}, or the reason why there is no name; empty if no thread owned the lock, or if its
 *     kind records no owner
 * @param ownerNanos a time after the owner was read, CLOCK_MONOTONIC in ns
 */
public record ContendedLock(RuntimeId runtime, Kind kind, String type, long address, String owner, long ownerNanos) {

    /** The kinds of locks: the state of a sample. The words are written to captures. */
    public enum Kind {
        /** The monitor of an object, which {@code synchronized} enters. */
        MONITOR("monitor"),
        /** A lock that is an object of a library, mostly of java.util.concurrent. */
        SYNCHRONIZER("synchronizer");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** Returns the word in captures and reports. It never changes. */
        public String word() {
            return word;
        }
    }

    static final String OWNER_UNKNOWN = "owner unknown";

    /**
     * Returns the lock for a wait that ended before its owner was read.
     *
     * @param time a time during the wait, CLOCK_MONOTONIC in ns
     */
    ContendedLock withUnknownOwner(long time) {
        return new ContendedLock(runtime, kind, type, address, owner.isEmpty() ? "" : OWNER_UNKNOWN, time);
    }

    /** Returns the frames that represent the lock and its owner in a stack, leaf first. */
    public List<Frame> frames() {
        List<Frame> frames = new ArrayList<>();
        if (!owner.isEmpty()) {
            frames.add(new Frame.Stub(runtime, "[" + owner + "]"));
        }
        frames.add(new Frame.Stub(runtime, "[" + kind.word() + " " + type + "]"));
        return frames;
    }
}
