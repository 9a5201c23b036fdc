package mayfly.stack;

import mayfly.runtime.LockWait;
import org.jspecify.annotations.Nullable;

/**
 * The lock for which a thread of a dump waits. Names come from the target: untrusted text.
 *
 * @param kind the way in which it waits
 * @param type the name of the class of the object; for a class object, {@code java.lang.Class for NAME}
 * @param object the address of the object when it was read; a collection may have moved it since
 * @param ownership the reason why there is an owner or none
 * @param owner the owner; null unless it is {@link Ownership#KNOWN}
 * @param unread the reason why the lock could not be read; empty if it was
 */
public record AwaitedLock(
        Kind kind,
        String type,
        long object,
        Ownership ownership,
        @Nullable Owner owner,
        String unread) {

    /** The way in which a thread waits for a lock. */
    public enum Kind {
        /** Not known, because the lock could not be read. */
        UNKNOWN(""),
        /** It waits to enter a monitor. */
        ENTER("waiting to lock"),
        /** It was notified in Object.wait, and waits to enter the monitor again. */
        REENTER("waiting to re-lock in wait()"),
        /** It is in Object.wait. */
        NOTIFICATION("waiting on"),
        /** It is in LockSupport.park, with a blocker. */
        PARK("parking to wait for");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        /** Returns the words of a thread dump. */
        public String words() {
            return words;
        }

        static Kind of(LockWait.Kind kind) {
            return switch (kind) {
                case NONE -> UNKNOWN;
                case ENTER -> ENTER;
                case REENTER -> REENTER;
                case NOTIFICATION -> NOTIFICATION;
                case PARK -> PARK;
            };
        }
    }

    /** The knowledge about the owner of a lock. */
    public enum Ownership {
        /** A thread owns it. */
        KNOWN,
        /** No thread owns it, or its kind records no owner: a semaphore, the read lock of a pair, a condition. */
        NONE,
        /** The owner is not known: it has changed since the thread was walked, or it could not be read. */
        UNKNOWN
    }

    /**
     * The thread that owns a lock.
     *
     * @param tid the kernel's thread id; 0 for a virtual thread that is not mounted
     * @param name its Java name; empty if it is not known
     * @param id the runtime's thread id; 0 if it is not known
     */
    public record Owner(int tid, String name, long id) {}
}
