package mayfly.stack;

import mayfly.profile.WalkOutcome;

/**
 * How one walk went.
 *
 * @param status what became of it
 * @param outcome how the stack ended
 * @param start where the first managed frame, if there is one, was found
 * @param timeNanos when the thread's stack was as reported, CLOCK_MONOTONIC; 0 if it could not be had
 * @param stopNanos how long the thread was kept from running, ns at most; 0 if it was not stopped
 * @param reason in words, for STACK_SNAPSHOT_UNSAFE and STACK_SNAPSHOT_UNMANAGED_CONTEXT; else empty
 */
public record ThreadWalk(WalkStatus status, WalkOutcome outcome, Start start, long timeNanos, long stopNanos,
                         String reason) {

    /** Where a walk set out from. */
    public enum Start {
        /** The thread's own registers. */
        REGISTERS,
        /** Where the runtime noted that the thread left managed code; native frames before it may be missing. */
        LAST_MANAGED_FRAME,
        /** The caller's seed. */
        SEED
    }

    /** The same of a walk whose frames in the middle were left out. */
    ThreadWalk shortened() {
        return outcome != WalkOutcome.COMPLETE ? this
                : new ThreadWalk(status, WalkOutcome.SHORTENED, start, timeNanos, stopNanos, reason);
    }

    /** The same of a walk that the callback has ended. */
    ThreadWalk aborted() {
        return new ThreadWalk(WalkStatus.STACK_SNAPSHOT_ABORTED, outcome, start, timeNanos, stopNanos, "");
    }

    static ThreadWalk none(WalkStatus status, WalkOutcome outcome, String reason) {
        return new ThreadWalk(status, outcome, Start.REGISTERS, 0, 0, reason);
    }

    static ThreadWalk gone() {
        return none(WalkStatus.THREAD_GONE, WalkOutcome.THREAD_GONE, "");
    }

    static ThreadWalk unsafe(String reason) {
        return none(WalkStatus.STACK_SNAPSHOT_UNSAFE, WalkOutcome.NO_USER_CONTEXT, reason);
    }
}
