package mayfly.process;

/**
 * What one walk starts from.
 *
 * @param thread the thread
 * @param registers its registers at the sample
 * @param timeNanos when that was, CLOCK_MONOTONIC
 * @param epochNanos when the walk was made, not before it
 * @param stackBase address of the first word of the stack's copy
 * @param stack the copy, upward
 */
public record RecordedWalk(TargetThread thread, Registers registers, long timeNanos, long epochNanos, long stackBase,
                           long[] stack) {
}
