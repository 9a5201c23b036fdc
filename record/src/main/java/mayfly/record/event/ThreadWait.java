package mayfly.record.event;

import mayfly.profile.WalkOutcome;
import org.jspecify.annotations.Nullable;

/** A wait of a thread: a time during which no CPU ran it. */
final class ThreadWait {
    private static final long LASTS = Long.MAX_VALUE;

    private final int tid;
    private final long since;
    private final boolean preempted;
    private final boolean found;
    private long until = LASTS;
    private @Nullable BlockedStack copy;
    private WaitReason reason;
    private int stack = -1;
    private WalkOutcome outcome = WalkOutcome.NOT_COPIED;

    /**
     * Creates a wait that lasts.
     *
     * @param since CLOCK_MONOTONIC, ns
     * @param preempted true if the thread could run
     * @param found true if the recording found the thread waiting: the wait began earlier
     */
    ThreadWait(int tid, long since, boolean preempted, boolean found) {
        this.tid = tid;
        this.since = since;
        this.preempted = preempted;
        this.found = found;
        this.reason = preempted ? WaitReason.PREEMPTED : WaitReason.UNKNOWN;
    }

    int tid() {
        return tid;
    }

    long since() {
        return since;
    }

    boolean isPreempted() {
        return preempted;
    }

    boolean wasFound() {
        return found;
    }

    boolean lasts() {
        return until == LASTS;
    }

    void end(long time) {
        until = time;
    }

    /** Returns the time of the end, CLOCK_MONOTONIC in ns. */
    long until() {
        return until;
    }

    /** Returns the duration, ns. */
    long nanos() {
        return until - since;
    }

    /** Sets the copy of the stack; null to take it back, because it belongs to a later wait. */
    void copied(@Nullable BlockedStack taken) {
        copy = taken;
        reason = taken == null ? WaitReason.UNKNOWN : taken.reason();
    }

    @Nullable
    BlockedStack copy() {
        return copy;
    }

    boolean isCopied() {
        return copy != null || isWalked();
    }

    /** Sets the stored stack, which replaces the copy. */
    void walked(int stored, WalkOutcome ended) {
        copy = null;
        stack = stored;
        outcome = ended;
    }

    boolean isWalked() {
        return stack >= 0;
    }

    /** Returns the number of the stored stack; -1 if there is none. */
    int stack() {
        return stack;
    }

    WalkOutcome outcome() {
        return outcome;
    }

    WaitReason reason() {
        return reason;
    }
}
