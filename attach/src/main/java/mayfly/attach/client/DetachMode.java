package mayfly.attach.client;

import mayfly.wire.DetachFlag;

/** How a detach begins. */
public enum DetachMode {
    /** The profiler is asked ({@code detachRequested}), and begins the detach when it is ready; it may also not do so. */
    ASK(0),
    /**
     * The host begins the detach itself and the profiler is not asked. No callback begins from then on. Everything else is as if the
     * profiler had begun it: the detach waits for callbacks that run, for threads with code of the profiler on their stacks and for
     * what still refers to it, and {@code profilerDetachSucceeded} is called.
     */
    FORCE(DetachFlag.FORCE);

    private final int flags;

    DetachMode(int flags) {
        this.flags = flags;
    }

    /** As the host's channel has it: docs/formats/host-channel.md, DETACH. */
    int flags() {
        return flags;
    }
}
