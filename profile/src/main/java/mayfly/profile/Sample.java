package mayfly.profile;

/**
 * One sample, as {@link Profile#sample} shows it.
 *
 * @param nanos CLOCK_MONOTONIC nanoseconds
 * @param thread index into {@link Profile#threads}
 * @param stack stack id, 0 for a stack without frames
 * @param value the first measure of its event, in the event's unit
 * @param outcome how its walk ended
 */
public record Sample(long nanos, int thread, int stack, long value, WalkOutcome outcome) {}
