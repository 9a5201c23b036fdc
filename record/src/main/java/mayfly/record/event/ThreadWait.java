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
    private long dueNanos;
    private int attempts;

    /**
     * Creates a wait that lasts.
     *
     * @param since CLOCK_MONOTONIC, ns
     * @param dueNanos the time at which its stack is to be copied
     * @param preempted true if the thread could run
     * @param found true if the recording found the thread waiting: the wait began earlier
     */
    ThreadWait(int tid, long since, long dueNanos, boolean preempted, boolean found) {
        this.tid = tid;
        this.since = since;
        this.dueNanos = dueNanos;
        this.preempted = preempted;
        this.found = found;
        this.reason = unread();
    }

    private WaitReason unread() {
        return preempted ? WaitReason.PREEMPTED : WaitReason.UNKNOWN;
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

    /** Returns the time of the next attempt to copy the stack. */
    long dueNanos() {
        return dueNanos;
    }

    /** Sets the time of the next attempt. */
    void putOff(long time) {
        dueNanos = time;
    }

    /** Counts an attempt that has failed, and returns their number. */
    int failed() {
        return ++attempts;
    }

    /** Sets the copy of the stack; null to take it back, because it does not belong to this wait. */
    void copied(@Nullable BlockedStack taken) {
        copy = taken;
        reason = taken == null ? unread() : taken.reason();
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
