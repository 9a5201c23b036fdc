package mayfly.process.replay;

import java.util.Arrays;
import mayfly.process.Registers;
import mayfly.process.TargetThread;

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

    /** The same with at most the first words of the stack: a walk that wants more finds no more. */
    public RecordedWalk upTo(int words) {
        return new RecordedWalk(thread, registers, timeNanos, epochNanos, stackBase,
                Arrays.copyOf(stack, Math.min(words, stack.length)));
    }
}
