package mayfly.runtime.thread;

import org.jspecify.annotations.Nullable;

/**
 * The monitors for which a thread waits at the moment at which its stack is copied.
 *
 * @param pending the address of the runtime's monitor that it waits to enter; 0 if there is none
 * @param waiting the address of the runtime's monitor at which it waits, and which it has left for that time; 0 if
 *     there is none
 * @param collections the number of collections begun, which may have moved objects
 * @param unread the reason why this could not be read; null if it was
 */
public record MonitorState(
        long pending,
        long waiting,
        long collections,
        @Nullable Unread unread) {

    /** Returns the state of a thread that could not be read. */
    public static MonitorState unread(Unread reason) {
        return new MonitorState(0, 0, 0, reason);
    }
}
