package mayfly.hotspot.code;

/** The origin of a program counter. */
public enum PcKind {
    /** A thread was interrupted there, at any instruction. */
    INTERRUPTED,
    /** A call returns there, so the frame of the code that contains it is complete. */
    RETURN;

    /** Returns true if a thread was interrupted there. */
    public boolean isInterrupted() {
        return this == INTERRUPTED;
    }
}
