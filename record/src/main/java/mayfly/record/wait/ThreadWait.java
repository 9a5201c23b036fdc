package mayfly.record.wait;

import mayfly.profile.WalkOutcome;
import org.jspecify.annotations.Nullable;

/** A wait of a thread: a time during which no CPU ran it. */
public final class ThreadWait {
    private static final long LASTS = Long.MAX_VALUE;

    private final int tid;
    private final long since;
    private final boolean preempted;
    private final boolean found;
    private long until = LASTS;
    private @Nullable BlockedStack copy;
    private WaitReason reason;
    private @Nullable ContendedLock lock;
    private boolean dismissed;
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

    public int tid() {
        return tid;
    }

    long since() {
        return since;
    }

    public boolean isPreempted() {
        return preempted;
    }

    boolean wasFound() {
        return found;
    }

    void end(long time) {
        until = time;
    }

    /** Returns the time of the end, CLOCK_MONOTONIC in ns. */
    public long until() {
        return until;
    }

    /** Returns the duration, ns. */
    public long nanos() {
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
        lock = taken == null ? null : taken.lock();
    }

    public @Nullable BlockedStack copy() {
        return copy;
    }

    boolean isCopied() {
        return copy != null || isWalked() || dismissed;
    }

    /** Reports that the recording does not contain this wait: its stack is not copied. */
    public void dismiss() {
        dismissed = true;
    }

    public boolean isDismissed() {
        return dismissed;
    }

    /** Sets the stored stack, which replaces the copy. */
    public void walked(int stored, WalkOutcome ended) {
        copy = null;
        stack = stored;
        outcome = ended;
    }

    public boolean isWalked() {
        return stack >= 0;
    }

    /** Returns the number of the stored stack; -1 if there is none. */
    public int stack() {
        return stack;
    }

    public WalkOutcome outcome() {
        return outcome;
    }

    public WaitReason reason() {
        return reason;
    }

    /** Returns the lock for which the thread waited; null if it waited for none, or if it was not read. */
    public @Nullable ContendedLock lock() {
        return lock;
    }
}
