package mayfly.runtime;

import mayfly.arch.Architecture;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;

/**
 * The position of a walk: one physical frame of one thread, with its registers at the time of the sample.
 *
 * <p>A stepper reads the frame, and on success replaces the registers by those of the caller and calls {@link #moveTo}.
 * Memory at and above the stack pointer is the stack at the time of the sample ({@link #stack()}); everything else is
 * the target's current memory ({@link #memory()}).
 */
public final class FrameCursor {
    private final Registers registers;
    private final Memory stack;
    private final Memory memory;
    private final CodeRanges code;
    private boolean exact;
    private boolean top;
    private long time;

    /**
     * Creates a cursor without a position.
     *
     * @param architecture the CPU that the target runs on
     * @param memory the target's memory
     * @param stack the thread's stack at the time of the sample
     * @param code the code ranges of the target
     */
    public FrameCursor(Architecture architecture, Memory memory, Memory stack, CodeRanges code) {
        this.registers = new Registers(architecture);
        this.memory = memory;
        this.stack = stack;
        this.code = code;
    }

    /**
     * Moves to the frame that a thread was executing. Its program counter is the address of the next instruction.
     *
     * @param at the registers of that frame
     * @param timeNanos the time of the sample, CLOCK_MONOTONIC in ns
     */
    public void start(Registers at, long timeNanos) {
        registers.copyFrom(at);
        exact = true;
        top = true;
        time = timeNanos;
    }

    public Registers registers() {
        return registers;
    }

    /** Returns the thread's stack at the time of the sample. */
    public Memory stack() {
        return stack;
    }

    /** Returns the target's current memory. */
    public Memory memory() {
        return memory;
    }

    /** Returns the code ranges, to check candidates for return addresses. */
    public CodeRanges code() {
        return code;
    }

    /** Returns true if the program counter is the address of the next instruction, false if it is a return address. */
    public boolean exact() {
        return exact;
    }

    /** Returns true for the thread's leaf frame: registers other than the callee-saved ones are known only there. */
    public boolean top() {
        return top;
    }

    /** Returns the time of the sample, CLOCK_MONOTONIC in ns. */
    public long time() {
        return time;
    }

    /**
     * Returns the word at a stack address.
     *
     * @throws MemoryFault if that part of the stack was not captured and cannot be read
     */
    public long stackWord(long address) throws MemoryFault {
        return stack.readLong(address);
    }

    /** Moves to the caller, which continues at the return address with the given stack pointer. */
    public void moveTo(long returnAddress, long sp) {
        registers.setPc(returnAddress);
        registers.setSp(sp);
        exact = false;
        top = false;
    }

    /** Moves to the code that a signal interrupted, which continues at {@code pc} with the given stack pointer. */
    public void moveToInterrupted(long pc, long sp) {
        moveTo(pc, sp);
        exact = true;
    }
}
