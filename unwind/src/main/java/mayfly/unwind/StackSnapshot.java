package mayfly.unwind;

import mayfly.process.Registers;

/**
 * What a walk begins with: one thread's registers and a copy of its stack, of the same moment.
 *
 * @param registers the registers; the walk leaves them as they are
 * @param atCall whether the program counter is a return address, because the frame has called out; else it is that of
 *         the next instruction
 * @param words the copy of the stack, used until the next walk and not copied again
 * @param count how many words it has
 * @param base the address of the first, in the target
 * @param timeNanos when that was, CLOCK_MONOTONIC in ns
 * @param maxFrames a walk of more frames is truncated
 */
public record StackSnapshot(Registers registers, boolean atCall, Words words, int count, long base, long timeNanos,
                            int maxFrames) {

    /** A copy of a stack that is handed over as far as it is needed. */
    @FunctionalInterface
    public interface Words {
        /** The copy, of which at least the first {@code count} words are valid. */
        long[] atLeast(int count);

        /** Whether the word at an address above the copy, a multiple of 8, was saved at the same moment. */
        default boolean hasSaved(long address) {
            return false;
        }

        /** That word; asked for only if it was saved. */
        default long saved(long address) {
            throw new UnsupportedOperationException();
        }
    }

    /** A thread's leaf frame, with a copy that starts at the stack pointer. */
    public static StackSnapshot of(Registers registers, Words words, int count, long timeNanos, int maxFrames) {
        return new StackSnapshot(registers, false, words, count, registers.sp(), timeNanos, maxFrames);
    }

    /** The same stack, from an outer frame that has called out. */
    public StackSnapshot fromCall(Registers caller) {
        return new StackSnapshot(caller, true, words, count, base, timeNanos, maxFrames);
    }
}
