package mayfly.host;

import mayfly.api.ProfilerException;
import mayfly.api.Status;

/**
 * The life of a hosted profiler as the Java half sees it. The library has more states; mayfly.wire.life.HostLife is
 * the table of both.
 */
final class Life {
    /**
     * The life of the profiler that this class loader has loaded. Each attach has its own loader, and therefore its own
     * life.
     */
    static final Life HOSTED = new Life();

    /**
     * The present state. The library detects later if something retains a detached profiler (PINNED, in the record).
     */
    enum State {
        /** The initialisation has not begun; the profiler's constructor may have run. */
        NONE,
        /** The initialisation is running: the profiler may subscribe to events but may not request a detach. */
        INITIALIZING,
        /** Events are delivered and the profiler may call the runtime. */
        ACTIVE,
        /** No callback begins any more and no call is answered; this lasts until the last class is unloaded. */
        DETACHING
    }

    private volatile State state = State.NONE;

    State state() {
        return state;
    }

    /** The only method that changes the state. */
    synchronized void to(State next) {
        boolean follows = switch (state) {
            case NONE -> next == State.INITIALIZING;
            case INITIALIZING -> next == State.ACTIVE || next == State.DETACHING;
            case ACTIVE -> next == State.DETACHING;
            case DETACHING -> false;
        };
        if (!follows) {
            throw new ProfilerException(
                    state == State.DETACHING ? Status.PROFILER_DETACHING : Status.NOT_YET_INITIALIZED);
        }
        state = next;
    }

    /** Checks calls that are permitted from the profiler's initialisation on. */
    void mustAnswer() {
        if (state == State.DETACHING || state == State.NONE) {
            throw new ProfilerException(Status.PROFILER_DETACHING);
        }
    }

    /** Checks calls that require enabled events. */
    void mustBeActive() {
        mustAnswer();
        if (state == State.INITIALIZING) {
            throw new ProfilerException(Status.NOT_YET_INITIALIZED);
        }
    }
}
