package mayfly.runtime.thread;

import org.jspecify.annotations.Nullable;

/**
 * A monitor that a frame has entered.
 *
 * @param scope the method, by its position among those at the frame's program counter: 0 is the innermost
 * @param state the state of the monitor
 * @param type the name of the class of the object, untrusted text; for a class object, {@code java.lang.Class for
 *     NAME}. Empty if it is not known
 * @param object the address of the object, which a collection may move later; 0 if it is not known, or if compiled code
 *     has never allocated the object
 * @param unread the reason why it could not be read; null if it was read
 */
public record FrameMonitor(
        int scope,
        State state,
        String type,
        long object,
        @Nullable Unread unread) {

    /** The state of a monitor. */
    public enum State {
        /** The thread owns it. */
        ENTERED,
        /** The thread has left it while it waits for a notification, or until it can enter it again. */
        LEFT,
        /** The compiler has found that no other thread can enter it, and compiled the method without it. */
        ELIMINATED
    }

    /** Returns the data for monitors that could not be read. */
    public static FrameMonitor unread(int scope, Unread reason) {
        return new FrameMonitor(scope, State.ENTERED, "", 0, reason);
    }
}
