package mayfly.hotspot.tables;

import mayfly.runtime.Unread;

/** Something of a thread that cannot be read, with the reason. An ordinary outcome: no stack trace. */
public final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    public final Unread reason;

    public Unreadable(Unread reason) {
        super(null, null, false, false);
        this.reason = reason;
    }
}
