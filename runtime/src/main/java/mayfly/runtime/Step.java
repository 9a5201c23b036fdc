package mayfly.runtime;

import mayfly.profile.WalkOutcome;

/** The outcome of one step of a walk. */
public enum Step {
    /** The cursor is now at the caller. */
    CALLER(null),
    /** The frame was the thread's first: there is no caller. */
    ROOT(WalkOutcome.COMPLETE),
    STACK_UNREADABLE(WalkOutcome.STACK_UNREADABLE),
    STACK_CHANGED(WalkOutcome.STACK_CHANGED),
    UNKNOWN_CODE(WalkOutcome.UNKNOWN_CODE),
    NO_CFI(WalkOutcome.NO_CFI),
    UNKNOWN_REGISTER(WalkOutcome.UNKNOWN_REGISTER),
    BAD_CFI(WalkOutcome.BAD_CFI),
    IMPLAUSIBLE_RETURN_ADDRESS(WalkOutcome.IMPLAUSIBLE_RETURN_ADDRESS),
    STALE_CODE(WalkOutcome.STALE_CODE),
    BAD_INTERPRETER_FRAME(WalkOutcome.BAD_INTERPRETER_FRAME),
    BAD_METADATA(WalkOutcome.BAD_METADATA);

    private final @org.jspecify.annotations.Nullable WalkOutcome end;

    Step(@org.jspecify.annotations.Nullable WalkOutcome end) {
        this.end = end;
    }

    /** Returns the outcome of the walk if this step ended it, or null if the walk continues. */
    public @org.jspecify.annotations.Nullable WalkOutcome end() {
        return end;
    }
}
