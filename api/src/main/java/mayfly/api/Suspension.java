package mayfly.api;

import java.time.Duration;

/**
 * A safepoint: a suspension of all threads that run Java code.
 *
 * @param reason the JVM's name for the operation, such as {@code G1CollectForAllocation}
 * @param reaching the time until the last thread had stopped
 * @param total the total time, from the request to stop until the threads were resumed
 */
public record Suspension(String reason, Duration reaching, Duration total) {}
