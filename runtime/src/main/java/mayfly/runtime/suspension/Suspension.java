package mayfly.runtime.suspension;

/**
 * A suspension of all threads that run managed code, such as HotSpot's safepoint.
 *
 * @param number its number among the suspensions of the runtime, from 1
 * @param phase the last phase that has begun
 * @param cause the operation for which it is needed, such as {@code G1CollectForAllocation}: untrusted text; empty if
 *     unknown
 * @param begun the time of the request, CLOCK_MONOTONIC in ns
 * @param reached the time at which the last thread stopped; 0 before, or if the runtime has not recorded it
 * @param ended the time at which the threads continued; 0 before
 */
public record Suspension(long number, Phase phase, String cause, long begun, long reached, long ended) {
    /** The latest suspension of a runtime that has had none. */
    public static final Suspension NONE = new Suspension(0, Phase.ENDED, "", 0, 0, 0);

    /** The phases of a suspension, in order. */
    public enum Phase {
        /** The runtime prepares it; no thread has been asked to stop. */
        REQUESTED,
        /** It waits for threads that have not stopped yet. */
        REACHING,
        /** All threads have stopped. */
        REACHED,
        /** The threads continue. */
        ENDED
    }
}
