package mayfly.api;

import java.time.Duration;
import mayfly.api.event.GarbageCollection;

/**
 * A safepoint: a suspension of all threads that run Java code.
 *
 * @param number a number that no other suspension has while the profiler is attached; {@link GarbageCollection} has it
 *     too. It increases, and some numbers may be missing
 * @param reason the JVM's name for the operation, such as {@code G1CollectForAllocation}
 * @param reaching the time until the last thread had stopped
 * @param total the total time, from the request to stop until the threads were resumed
 */
public record Suspension(long number, String reason, Duration reaching, Duration total) {}
