package mayfly.profile;

/**
 * One sample, as returned by {@link Profile#sample}.
 *
 * @param nanos CLOCK_MONOTONIC nanoseconds
 * @param thread index into {@link Profile#threads}
 * @param stack stack id, 0 for a stack without frames
 * @param value the first measure of its event, in the event's unit
 * @param outcome the outcome of its walk
 */
public record Sample(long nanos, int thread, int stack, long value, WalkOutcome outcome) {}
