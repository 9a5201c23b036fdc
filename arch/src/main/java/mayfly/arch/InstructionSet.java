package mayfly.arch;

import org.jspecify.annotations.Nullable;

/**
 * Decodes a CPU's instructions as far as a stack walk needs them. It rejects unknown instructions and never guesses.
 *
 * <p>Implementations have no state. They may allocate: a caller decodes each program counter once.
 */
public interface InstructionSet {

    /** Returns the maximum number of bytes before a return address that {@link #callEndsAt} needs. */
    int longestCall();

    /**
     * Returns true if a call can end at a position in some code, so that its address can be a return address.
     *
     * @param code bytes of code
     * @param end the position after the call's last byte; fewer bytes than {@link #longestCall()} may precede it
     */
    boolean callEndsAt(byte[] code, int end);

    /** Returns the length of the instruction that makes a system call, in bytes. */
    int systemCallLength();

    /** Returns true if the instruction at a position in some code makes a system call, false if it is incomplete. */
    boolean isSystemCall(byte[] code, int at);

    /** Returns the maximum number of bytes of code that {@link #epilogue} reads. */
    int epilogueWindow();

    /**
     * Decodes the instructions from a program counter to the exit from its function, by return or by a jump.
     *
     * @param code bytes from the program counter on
     * @param pc the program counter
     * @param functionStart first address of the function
     * @param functionEnd first address after it
     */
    Epilogue epilogue(byte[] code, long pc, long functionStart, long functionEnd);

    /**
     * Decodes as {@link #epilogue} does, for a function whose range is unknown. It also decodes past calls and
     * conditional branches, which are assumed not to be taken, and any unconditional jump leaves the function. The
     * caller checks that there is a return address at the location in the result.
     */
    Epilogue epilogueOfUndescribed(byte[] code, long pc);

    /**
     * Returns the distance by which a function has lowered the stack pointer at one of its instructions, computed from
     * the instructions after its entry.
     *
     * @param pc an instruction that has not been executed yet
     * @param entry the function's first address
     * @param end first address after the function
     * @return null if the instructions do not determine it, or cannot be read
     */
    @Nullable StackDepthAtPc depthFromEntry(long pc, long entry, long end, CodeSource<?> source);
}
