package mayfly.runtime;

import mayfly.profile.WalkOutcome;

/** What one step of a walk came to. */
public enum Step {
    /** The cursor now stands at the caller. */
    CALLER(null),
    /** That was the thread's first frame: there is no caller. */
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

    /** The outcome of the walk if this step ended it, null if it goes on. */
    public @org.jspecify.annotations.Nullable WalkOutcome end() {
        return end;
    }
}
