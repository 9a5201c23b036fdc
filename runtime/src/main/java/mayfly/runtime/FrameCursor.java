package mayfly.runtime;

import mayfly.arch.Architecture;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;

/**
 * Where a walk stands: one physical frame of one thread, as its registers were at the sample.
 *
 * <p>A stepper reads the frame, and on success puts the caller's registers in place with {@link #moveTo}. Memory at and
 * above the stack pointer is the stack as it was at the sample ({@link #stack()}); everything else is the target's
 * memory as it is now ({@link #memory()}).
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
     * A cursor that stands nowhere yet.
     *
     * @param architecture the CPU that the target runs on
     * @param memory the target's memory
     * @param stack the thread's stack as it was at the sample
     * @param code which addresses are code
     */
    public FrameCursor(Architecture architecture, Memory memory, Memory stack, CodeRanges code) {
        this.registers = new Registers(architecture);
        this.memory = memory;
        this.stack = stack;
        this.code = code;
    }

    /** Stands at the frame a thread was executing: the program counter is that of the next instruction. */
    public void start(Registers at, long timeNanos) {
        registers.copyFrom(at);
        exact = true;
        top = true;
        time = timeNanos;
    }

    public Registers registers() {
        return registers;
    }

    /** The thread's stack as it was at the sample. */
    public Memory stack() {
        return stack;
    }

    /** The target's memory as it is now. */
    public Memory memory() {
        return memory;
    }

    /** Which addresses are code, for judging what should be a return address. */
    public CodeRanges code() {
        return code;
    }

    /** True if the program counter is that of the next instruction; false if it is a return address. */
    public boolean exact() {
        return exact;
    }

    /** True for the thread's leaf frame: registers beyond the callee-saved ones are known only here. */
    public boolean top() {
        return top;
    }

    /** When the sample was taken, CLOCK_MONOTONIC in ns. */
    public long time() {
        return time;
    }

    /** The word at a stack address. */
    public long stackWord(long address) throws MemoryFault {
        return stack.readLong(address);
    }

    /** Moves to the caller, which goes on at the return address with the given stack pointer. */
    public void moveTo(long returnAddress, long sp) {
        registers.setPc(returnAddress);
        registers.setSp(sp);
        exact = false;
        top = false;
    }

    /** As {@link #moveTo}, below a signal frame: the interrupted code goes on at this very instruction. */
    public void moveToInterrupted(long pc, long sp) {
        moveTo(pc, sp);
        exact = true;
    }
}
