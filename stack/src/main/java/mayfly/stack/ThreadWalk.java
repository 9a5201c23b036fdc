package mayfly.stack;

import mayfly.profile.WalkOutcome;

/**
 * The result of a walk.
 *
 * @param status the status of the walk
 * @param outcome the outcome of the walk, with the reason if the stack is incomplete
 * @param start the starting point that led to the first managed frame, if there is one
 * @param timeNanos the time at which the thread had the reported stack, CLOCK_MONOTONIC in ns; 0 if the stack could
 *         not be copied
 * @param stopNanos upper bound on the time that the thread was stopped, ns; 0 if it was not stopped
 * @param reason a description for STACK_SNAPSHOT_UNSAFE and STACK_SNAPSHOT_UNMANAGED_CONTEXT; else empty
 */
public record ThreadWalk(
        WalkStatus status, WalkOutcome outcome, Start start, long timeNanos, long stopNanos, String reason) {

    /** The starting point of a walk. */
    public enum Start {
        /** The thread's own registers. */
        REGISTERS,
        /**
         * The place where the thread left managed code, as stored by the runtime; native frames before it may be
         * missing.
         */
        LAST_MANAGED_FRAME,
        /** The caller's seed. */
        SEED
    }

    /** Returns this result for a walk whose frames in the middle were left out. */
    ThreadWalk shortened() {
        return outcome != WalkOutcome.COMPLETE
                ? this
                : new ThreadWalk(status, WalkOutcome.SHORTENED, start, timeNanos, stopNanos, reason);
    }

    /** Returns this result for a walk that the callback has ended. */
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
