package mayfly.runtime.thread;

import org.jspecify.annotations.Nullable;

/**
 * The lock for which a thread waits at one moment.
 *
 * @param kind the way in which it waits
 * @param type the name of the class of the object, untrusted text; for a class object, {@code java.lang.Class for NAME}
 *     or, if its initialization is awaited, {@code NAME}
 * @param object the address of the object; a collection may move it later
 * @param monitor the address of the runtime's monitor for the object, or of its data on the class; 0 if the thread is
 *     parked
 * @param unread the reason why it could not be read; null if it was read
 */
public record LockWait(
        Kind kind,
        String type,
        long object,
        long monitor,
        @Nullable Unread unread) {

    /** The way in which a thread waits. */
    public enum Kind {
        /** It waits for no lock. */
        NONE,
        /** It waits to enter a monitor. */
        ENTER,
        /** It was notified, and waits to enter the monitor again. */
        REENTER,
        /** It waits for a notification. */
        NOTIFICATION,
        /** It is parked, and waits to acquire a lock that is an object of a library, such as a ReentrantLock. */
        ACQUIRE,
        /** It is parked, and has named another object for which it waits. */
        PARK,
        /** It waits until another thread has initialized a class; the object is the class object. */
        INITIALIZATION;

        /** Returns true if another thread can own the lock, so that this thread waits for that one. */
        public boolean mayHaveOwner() {
            return switch (this) {
                case NONE, NOTIFICATION -> false;
                case ENTER, REENTER, ACQUIRE, PARK, INITIALIZATION -> true;
            };
        }
    }

    /** The data of a thread that waits for no lock. */
    public static final LockWait NONE = new LockWait(Kind.NONE, "", 0, 0, null);

    /** Returns the data of a thread whose lock could not be read. */
    public static LockWait unread(Unread reason) {
        return new LockWait(Kind.NONE, "", 0, 0, reason);
    }

    /** Returns true if this is for the same lock as another wait of the thread. The object may have been moved. */
    public boolean isFor(LockWait other) {
        return kind == other.kind && monitor == other.monitor && type.equals(other.type);
    }
}
