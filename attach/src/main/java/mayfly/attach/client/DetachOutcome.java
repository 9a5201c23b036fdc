package mayfly.attach.client;

import java.time.Duration;

/**
 * The result of a completed detach.
 *
 * @param took from the request to the moment when the library was found to be unmapped
 * @param collecting the part of that time spent in collections that the host requested
 * @param collections the number of these collections; 0 if a collection of the program's own was sufficient;
 *     {@link #NOT_KNOWN} if a detach was already in progress
 * @param remainingClasses true if the profiler's classes remain, because the JVM never unloads classes
 */
public record DetachOutcome(Duration took, Duration collecting, int collections, boolean remainingClasses) {
    /** Another request began the detach, and its answer has the count. */
    public static final int NOT_KNOWN = -1;
}
