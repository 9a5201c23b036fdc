package mayfly.record.suspension;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import mayfly.runtime.suspension.Suspension;
import mayfly.runtime.suspension.Suspension.Phase;
import org.jspecify.annotations.Nullable;

/** A suspension, and the samples of the threads that delayed it. */
public final class ObservedSuspension {
    /** The number of samples of each thread at each place. */
    private final Map<DelaySample, Integer> samples = new LinkedHashMap<>();

    private Suspension last;
    private String cause;
    private @Nullable Set<Integer> running;
    private long sampleCount;

    ObservedSuspension(Suspension first) {
        last = first;
        cause = first.cause();
    }

    /** Sets the latest reading. The operation of the first one is kept: that of an end may be the next one's. */
    void update(Suspension now) {
        last = now;
        cause = cause.isEmpty() ? now.cause() : cause;
    }

    /** Sets the threads that ran while the suspension waited. */
    void waitsFor(Set<Integer> threads) {
        running = threads;
    }

    /** Returns true if the threads for which it waits are known. */
    boolean knowsThreads() {
        return running != null;
    }

    long number() {
        return last.number();
    }

    /** Returns true if its last reading was after its end. */
    public boolean hasEnded() {
        return last.phase() == Phase.ENDED;
    }

    /** Returns the operation for which it was needed, empty if unknown. */
    public String cause() {
        return cause;
    }

    /** Returns the time from the request until the last thread stopped, ns. */
    public long reachingNanos() {
        return last.reached() - last.begun();
    }

    /** Returns the time for which all threads were stopped, ns. */
    public long stoppedNanos() {
        return last.ended() - last.reached();
    }

    /** Returns the time at which the last thread stopped, CLOCK_MONOTONIC in ns. */
    public long reached() {
        return last.reached();
    }

    /** Returns the time at which the threads continued, CLOCK_MONOTONIC in ns. */
    public long ended() {
        return last.ended();
    }

    /**
     * Sets the times that are missing to the present, because the suspension is observed no longer.
     *
     * @return false if one is missing that is not in the future, or if the times contradict each other
     */
    boolean endObservation(long now) {
        if (last.phase() == Phase.REACHED && last.reached() == 0) {
            return false;
        }
        long reached = last.reached() == 0 ? now : last.reached();
        if (last.begun() <= 0 || reached < last.begun() || now < reached) {
            return false;
        }
        last = new Suspension(last.number(), last.phase(), cause, last.begun(), reached, now);
        return true;
    }

    /** Returns true if it waited for threads at a time, according to the last reading. */
    boolean waitedAt(long time) {
        boolean waits = last.phase() == Phase.REQUESTED || last.phase() == Phase.REACHING;
        return time >= last.begun() && (waits || time <= last.reached());
    }

    /**
     * Returns true if a thread delayed it.
     *
     * @param tid the id of the thread in its own pid namespace
     * @param inManagedCode true if the thread ran managed code of the runtime; decides if no reading saw the threads
     *     for which the suspension waited
     */
    public boolean isDelayedBy(int tid, boolean inManagedCode) {
        Set<Integer> known = running;
        return known == null ? inManagedCode : known.contains(tid);
    }

    /** Adds a sample of a thread that delayed it. */
    public void add(DelaySample sample) {
        samples.merge(sample, 1, Integer::sum);
        sampleCount++;
    }

    /** Returns the samples of threads that delayed it, and the number of each. */
    public Map<DelaySample, Integer> samples() {
        return samples;
    }

    /** Returns the number of all samples of threads that delayed it. */
    public long sampleCount() {
        return sampleCount;
    }
}
