package mayfly.api;

import java.time.Duration;

/**
 * A safepoint: all threads that run Java code were stopped.
 *
 * @param reason what for, by the JVM's own name for the operation, such as {@code G1CollectForAllocation}
 * @param reaching how long it took until the last thread had stopped
 * @param total how long it took together, from the wish to stop them until they were let go
 */
public record Suspension(String reason, Duration reaching, Duration total) {}
