package mayfly.host;

import mayfly.api.ProfilerException;
import mayfly.api.Status;

/** The life of a hosted profiler. */
final class Life {

    /** Where it is. What keeps a detached profiler from going (PINNED, in the record) is found by the library, after this. */
    enum State {
        /** Nothing of the profiler has run. */
        NONE,
        /** Its initialisation runs: it may subscribe, and may not ask to be detached. */
        INITIALIZING,
        /** Its events are delivered, and it may call the runtime. */
        ACTIVE,
        /** No callback begins any more, and no call is answered; it stays so until the last class is unloaded. */
        DETACHING
    }

    private volatile State state = State.NONE;

    State state() {
        return state;
    }

    /** The one place that changes the state. */
    synchronized void to(State next) {
        boolean follows = switch (state) {
            case NONE -> next == State.INITIALIZING;
            case INITIALIZING -> next == State.ACTIVE || next == State.DETACHING;
            case ACTIVE -> next == State.DETACHING;
            case DETACHING -> false;
        };
        if (!follows) {
            throw new ProfilerException(state == State.DETACHING ? Status.PROFILER_DETACHING : Status.NOT_YET_INITIALIZED);
        }
        state = next;
    }

    /** For calls of the profiler that are allowed from its initialisation on. */
    void mustAnswer() {
        if (state == State.DETACHING || state == State.NONE) {
            throw new ProfilerException(Status.PROFILER_DETACHING);
        }
    }

    /** For calls of the profiler that need the events to be on. */
    void mustBeActive() {
        mustAnswer();
        if (state == State.INITIALIZING) {
            throw new ProfilerException(Status.NOT_YET_INITIALIZED);
        }
    }
}
