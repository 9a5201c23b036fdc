package mayfly.arch;

import org.jspecify.annotations.Nullable;

/**
 * Decodes a CPU's instructions as far as a stack walk needs them. It refuses what it does not know, and never guesses.
 *
 * <p>Implementations have no state. They may allocate: a caller asks once for each program counter.
 */
public interface InstructionSet {

    /** How many bytes before a return address {@link #callEndsAt} needs at most. */
    int longestCall();

    /**
     * Whether a call can end at a position in some code, so that its address can be a return address.
     *
     * @param code bytes of code
     * @param end the position after the call's last byte; fewer bytes than {@link #longestCall()} may precede it
     */
    boolean callEndsAt(byte[] code, int end);

    /** The length of the instruction that makes a system call, in bytes. */
    int systemCallLength();

    /** Whether the instruction at a position in some code makes a system call; false if it is not all there. */
    boolean isSystemCall(byte[] code, int at);

    /** How many bytes of code {@link #epilogue} reads at most. */
    int epilogueWindow();

    /**
     * Reads the instructions from a program counter on to where its function is left, by return or by a jump out of it.
     *
     * @param code bytes from the program counter on
     * @param pc the program counter
     * @param functionStart first address of the function
     * @param functionEnd first address after it
     */
    Epilogue epilogue(byte[] code, long pc, long functionStart, long functionEnd);

    /**
     * As {@link #epilogue}, of a function whose range is not known: it is also read past calls and conditional
     * branches, which are assumed not to be taken, and any unconditional jump leaves it. Its caller checks that a return address is
     * where the result says.
     */
    Epilogue epilogueOfUndescribed(byte[] code, long pc);

    /**
     * How far a function has lowered the stack pointer at one of its instructions, by the instructions from its entry
     * on.
     *
     * @param pc the instruction, of which nothing has been executed yet
     * @param entry the function's first address
     * @param end first address after the function
     * @return null if the instructions do not say, or cannot be read
     */
    @Nullable StackDepthAtPc depthFromEntry(long pc, long entry, long end, CodeSource<?> source);
}
