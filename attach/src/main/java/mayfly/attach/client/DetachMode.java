package mayfly.attach.client;

import mayfly.wire.message.DetachFlag;

/** The way in which a detach begins. */
public enum DetachMode {
    /** The profiler is asked ({@code detachRequested}), and begins the detach when it is ready; it may also decline. */
    ASK(0),
    /**
     * The host begins the detach itself and does not ask the profiler. No callback begins after that. Otherwise the
     * detach is the same as one begun by the profiler: it waits for running callbacks, for threads with code of the
     * profiler on their stacks and for remaining references to the profiler, and {@code profilerDetachSucceeded} is
     * called.
     */
    FORCE(DetachFlag.FORCE);

    private final int flags;

    DetachMode(int flags) {
        this.flags = flags;
    }

    /** Returns the flags in the host's channel: docs/formats/host-channel.md, DETACH. */
    int flags() {
        return flags;
    }
}
