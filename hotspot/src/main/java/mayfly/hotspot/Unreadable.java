package mayfly.hotspot;

import mayfly.runtime.Unread;

/** Something of a thread that cannot be read, with the reason. An ordinary outcome: no stack trace. */
final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    final Unread reason;

    Unreadable(Unread reason) {
        super(null, null, false, false);
        this.reason = reason;
    }
}
