package mayfly.runtime.thread;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A reading of the threads of one runtime that no thread of the kernel runs: {@link #copy} while all threads of the
 * process are stopped, and {@link #forEach} after they have been released.
 */
public interface UnmountedThreads {

    /** The outcome of a copy. */
    enum Copied {
        /** The threads were copied, except for those in {@link #unread}. */
        DONE,
        /** A collection was moving objects. Release the threads, and try again a little later. */
        MOVING,
        /** The runtime's list of these threads could not be read; {@link #problem} has the reason. */
        UNREADABLE
    }

    /**
     * Makes the next copy faster by copying while the threads run, for at most some seconds. The result is discarded,
     * because it can be inconsistent. Never throws.
     */
    void warmUp();

    /**
     * Copies the data of the threads, and discards an earlier copy. The threads of the process must be
     * stopped; one that runs on can make the copy inconsistent, or UNREADABLE. Never throws.
     *
     * @param deadlineNanos the {@link System#nanoTime()} at which it stops copying; threads that remain are unread
     */
    Copied copy(long deadlineNanos);

    /** Passes each copied thread, in the order in which the runtime lists it. */
    void forEach(Consumer<UnmountedThread> each);

    /**
     * Returns the copied thread that has entered the monitor of an object, if the runtime records that with the thread;
     * {@link LockOwner#UNKNOWN} if there is none.
     *
     * @param object the address of the object at the moment of the copy
     */
    default LockOwner ownerOf(long object) {
        return LockOwner.UNKNOWN;
    }

    /** Returns the number of threads on the runtime's list that are mounted: a thread of the kernel runs them. */
    int mounted();

    /** Returns the number of threads that could not be read, by the reason. */
    Map<Unread, Integer> unread();

    /** Returns false if the runtime does not record all such threads, by an option of the program. */
    boolean areAllRecorded();

    /** Returns the reason for {@link Copied#UNREADABLE}, or why no copy can be made; null if there is none. */
    @Nullable
    Unread problem();

    /** Returns a reading that cannot be made, for a reason. */
    static UnmountedThreads unreadable(Unread reason) {
        return new UnmountedThreads() {
            @Override
            public void warmUp() {}

            @Override
            public Copied copy(long deadlineNanos) {
                return Copied.UNREADABLE;
            }

            @Override
            public void forEach(Consumer<UnmountedThread> each) {}

            @Override
            public int mounted() {
                return 0;
            }

            @Override
            public Map<Unread, Integer> unread() {
                return Map.of();
            }

            @Override
            public boolean areAllRecorded() {
                return true;
            }

            @Override
            public @Nullable Unread problem() {
                return reason;
            }
        };
    }
}
