package mayfly.runtime.thread;

import java.util.List;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;

/**
 * A thread that no thread of the kernel runs at the moment, such as an unmounted virtual thread of Java.
 *
 * @param name its name, often empty: untrusted text
 * @param managedId the number that the runtime gave it
 * @param state its activity
 * @param frames its frames, leaf first; empty if it has not begun to run
 * @param outcome the outcome of the walk
 * @param awaited the lock for which it waits
 */
public record UnmountedThread(
        String name,
        long managedId,
        ManagedThreadState state,
        List<Frame> frames,
        WalkOutcome outcome,
        Awaited awaited) {
    /**
     * A lock for which a thread waits, at the moment of the copy.
     *
     * @param lock the lock; {@link LockWait#NONE} if the thread waits for none
     * @param owner its owner
     */
    public record Awaited(LockWait lock, LockOwner owner) {
        /** The data of a thread that waits for no lock. */
        public static final Awaited NONE = new Awaited(LockWait.NONE, LockOwner.NONE);
    }

    public UnmountedThread {
        frames = List.copyOf(frames);
    }
}
