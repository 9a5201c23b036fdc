package mayfly.stack.state;

import mayfly.runtime.thread.FrameMonitor;
import mayfly.runtime.thread.Unread;

/**
 * A monitor that a method of a dumped thread has entered. Names come from the target: untrusted text.
 *
 * @param state the state of the monitor
 * @param type the name of the class of its object; for a class object, {@code java.lang.Class for NAME}. Empty if it is
 *     not known
 * @param object the address of its object when the stack was copied; 0 if it is not known, or if compiled code has
 *     never allocated the object
 * @param unread the reason why it could not be read; empty if it was
 */
public record EnteredMonitor(State state, String type, long object, String unread) {

    /** The state of a monitor. */
    public enum State {
        /** The thread owns it. */
        ENTERED,
        /** The thread has released it in Object.wait. */
        LEFT,
        /** The method was compiled without it, because no other thread can enter it. */
        ELIMINATED
    }

    /** Returns the monitor for that of a runtime. */
    public static EnteredMonitor of(FrameMonitor monitor) {
        Unread unread = monitor.unread();
        State state = switch (monitor.state()) {
            case ENTERED -> State.ENTERED;
            case LEFT -> State.LEFT;
            case ELIMINATED -> State.ELIMINATED;
        };
        return new EnteredMonitor(state, monitor.type(), monitor.object(), unread == null ? "" : unread.label());
    }
}
