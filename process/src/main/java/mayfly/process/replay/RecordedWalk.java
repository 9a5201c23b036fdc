package mayfly.process.replay;

import java.util.Arrays;
import mayfly.process.Registers;
import mayfly.process.TargetThread;

/**
 * The input of a recorded walk: one thread with its registers and its stack.
 *
 * @param thread the thread
 * @param registers its registers at the sample
 * @param timeNanos the time of the sample, CLOCK_MONOTONIC in ns
 * @param epochNanos the time of the walk, CLOCK_MONOTONIC in ns, not before the sample
 * @param stackBase address of the first word of the copied stack
 * @param stack the words of the copy, from {@code stackBase} upward
 */
public record RecordedWalk(
        TargetThread thread, Registers registers, long timeNanos, long epochNanos, long stackBase, long[] stack) {

    /** Returns this walk with at most the first {@code words} words of the stack. */
    public RecordedWalk upTo(int words) {
        return new RecordedWalk(
                thread,
                registers,
                timeNanos,
                epochNanos,
                stackBase,
                Arrays.copyOf(stack, Math.min(words, stack.length)));
    }
}
