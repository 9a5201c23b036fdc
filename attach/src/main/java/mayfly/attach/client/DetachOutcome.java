package mayfly.attach.client;

import java.time.Duration;

/**
 * A profiler that is gone.
 *
 * @param took from the request to the moment when its library was seen to be unmapped
 * @param collecting of that, spent in the collections that the host asked for
 * @param collections how many; 0 if a collection of the program's own proved it; {@link #NOT_KNOWN} if it was being detached
 *        already
 * @param dormant whether its classes stay, because the JVM never unloads any
 */
public record DetachOutcome(Duration took, Duration collecting, int collections, boolean dormant) {
    /** Another request began the detach, and the count is in its answer. */
    public static final int NOT_KNOWN = -1;
}
