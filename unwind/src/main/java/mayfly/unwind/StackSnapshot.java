package mayfly.unwind;

import mayfly.process.Registers;

/**
 * The input of a walk: the registers of one thread and a copy of its stack, taken at the same moment.
 *
 * @param registers the registers; the walk does not change them
 * @param atCall true if the program counter is a return address, because the frame has made a call; false if it is the
 *     address of the next instruction
 * @param words the copy of the stack, which must remain valid until the next walk
 * @param count the number of its words
 * @param base the address of the first word, in the target
 * @param timeNanos the time of the snapshot, CLOCK_MONOTONIC in ns
 * @param maxFrames upper bound on the frames, beyond which the walk is truncated
 */
public record StackSnapshot(
        Registers registers, boolean atCall, Words words, int count, long base, long timeNanos, int maxFrames) {

    /** A copy of a stack, provided on demand. */
    @FunctionalInterface
    public interface Words {
        /** Returns the copy, of which at least the first {@code count} words are valid. */
        long[] atLeast(int count);

        /** Returns true if the word at an address above the copy, a multiple of 8, was saved at the same moment. */
        default boolean hasSaved(long address) {
            return false;
        }

        /**
         * Returns the saved word at an address. Called only if {@link #hasSaved} returns true for the address.
         *
         * @throws UnsupportedOperationException if no word is ever saved
         */
        default long saved(long address) {
            throw new UnsupportedOperationException();
        }
    }

    /** Returns the snapshot of a thread's leaf frame, with a copy that starts at the stack pointer. */
    public static StackSnapshot of(Registers registers, Words words, int count, long timeNanos, int maxFrames) {
        return new StackSnapshot(registers, false, words, count, registers.sp(), timeNanos, maxFrames);
    }

    /** Returns a snapshot of the same stack that starts at an outer frame, which has made a call. */
    public StackSnapshot fromCall(Registers caller) {
        return new StackSnapshot(caller, true, words, count, base, timeNanos, maxFrames);
    }
}
