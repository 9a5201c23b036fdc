package mayfly.arch;

/**
 * One instruction of a CPU: its length, and its effect on the flow of control. Reusable: each call of {@link #decode}
 * replaces it.
 */
public interface Instruction {

    /**
     * Decodes the instruction at a position.
     *
     * @param code the code
     * @param from position of its first byte
     * @param end position after the last available byte
     * @return false if it is unknown, or incomplete
     */
    boolean decode(byte[] code, int from, int end);

    /** Returns its length in bytes. */
    int length();

    /** Returns true if it is a call. */
    boolean isCall();

    /** Returns true if it jumps to a fixed target in every case. */
    boolean isJump();

    /** Returns true if it jumps to a fixed target or continues with the next instruction, depending on a condition. */
    boolean isConditional();

    /** Returns true if execution never continues with the next instruction: after a jump, a return or a trap. */
    boolean ends();

    /** Returns the distance from its end to the fixed target of a jump or a conditional jump, in bytes. */
    long jumpDistance();
}
