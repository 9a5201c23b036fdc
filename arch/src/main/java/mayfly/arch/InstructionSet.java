package mayfly.arch;

import org.jspecify.annotations.Nullable;

/**
 * Decodes those properties of a CPU's instructions that a stack walk needs. Unknown instructions end the decoding.
 *
 * <p>Implementations are stateless. They may allocate, because a caller decodes each program counter only once.
 */
public interface InstructionSet {
    /** The number of bytes of a function that {@link #probeOffset} needs. */
    int PROBE_BYTES = 8;

    /** Returns the maximum number of bytes before a return address that {@link #callEndsAt} needs. */
    int longestCall();

    /**
     * Returns true if a call instruction can end at a position in code, so that this position can be a return address.
     *
     * @param code bytes of code
     * @param end the position after the call's last byte; fewer bytes than {@link #longestCall()} may precede it
     */
    boolean callEndsAt(byte[] code, int end);

    /**
     * Returns true if a call instruction can end at an address.
     *
     * @throws E if the bytes before it cannot be read
     */
    default <E extends Exception> boolean callEndsAt(long address, CodeSource<E> source) throws E {
        byte[] before = new byte[longestCall()];
        source.read(address - before.length, before, 0, before.length);
        return callEndsAt(before, before.length);
    }

    /** Returns the maximum length of an instruction, in bytes. */
    int longestInstruction();

    /** Creates a decoder of single instructions. */
    Instruction instruction();

    /**
     * Returns true if a routine ends before a position in code: if a return precedes it, with padding between. The
     * padding may be absent only at the end of the code.
     *
     * @param code the code from the start of a routine on
     * @param end the position, which may be the start of another routine
     */
    boolean routineEndsAt(byte[] code, int end);

    /** Returns the length of the instruction that makes a system call, in bytes. */
    int systemCallLength();

    /** Returns true if the instruction at a position in code makes a system call. Returns false if it is incomplete. */
    boolean isSystemCall(byte[] code, int at);

    /**
     * Returns the offset in a function's first instructions of one that the kernel emulates if a uprobe is on it, so
     * that it maps no page into the process for it. No instruction before it changes a register. {@link
     * Architecture#NONE} if there is no such place.
     *
     * @param entry the function's code from its entry on, at least {@link #PROBE_BYTES} bytes
     */
    int probeOffset(byte[] entry);

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
     * Decodes as {@link #epilogue} does, for a function whose range is unknown. Continues after calls and conditional
     * branches; the branches are assumed not to be taken. An unconditional jump is assumed to leave the function. The
     * caller must verify that the resulting location contains a return address.
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
    @Nullable
    StackDepthAtPc depthFromEntry(long pc, long entry, long end, CodeSource<?> source);
}
