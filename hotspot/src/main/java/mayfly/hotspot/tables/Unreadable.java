package mayfly.hotspot.tables;

import mayfly.runtime.thread.Unread;

/**
 * Thrown if data of a thread or object cannot be read, with the reason. An ordinary outcome, so it has no stack trace.
 */
public final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    public final Unread reason;

    public Unreadable(Unread reason) {
        super(null, null, false, false);
        this.reason = reason;
    }
}
