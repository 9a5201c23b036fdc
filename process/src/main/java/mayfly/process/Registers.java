package mayfly.process;

import mayfly.arch.Architecture;

/**
 * The general registers of one thread at one frame. Each register is known or unknown, and is identified by its DWARF
 * number: see {@link Architecture}. Mutable: each step of a walk replaces the values by those of the caller.
 */
public final class Registers {
    private final Architecture architecture;
    private final int pc;
    private final int sp;
    private final int fp;
    private final long[] values;
    private long known;

    /** Creates the registers of a CPU, all of them unknown. */
    public Registers(Architecture architecture) {
        this.architecture = architecture;
        this.pc = architecture.programCounter();
        this.sp = architecture.stackPointer();
        this.fp = architecture.framePointer();
        this.values = new long[architecture.registers()];
    }

    /** Returns the CPU that has these registers. */
    public Architecture architecture() {
        return architecture;
    }

    /** Returns the value of a register. The value of an unknown register is undefined: see {@link #knows}. */
    public long get(int register) {
        return values[register];
    }

    /** Returns true if the value of a register is known. */
    public boolean knows(int register) {
        return (known >>> register & 1) != 0;
    }

    /** Sets the value of a register and marks it as known. */
    public void set(int register, long value) {
        values[register] = value;
        known |= 1L << register;
    }

    /** Marks a register as unknown. Its value must not be used. */
    public void forget(int register) {
        known &= ~(1L << register);
    }

    /** Marks all registers that are not in the mask as unknown. Bit n of the mask is register n. */
    public void retain(long mask) {
        known &= mask;
    }

    /** Returns the program counter. */
    public long pc() {
        return values[pc];
    }

    /** Returns the stack pointer. */
    public long sp() {
        return values[sp];
    }

    /** Returns the value of the register that compilers use for the frame pointer. */
    public long fp() {
        return values[fp];
    }

    public boolean knowsPc() {
        return knows(pc);
    }

    public boolean knowsSp() {
        return knows(sp);
    }

    public boolean knowsFp() {
        return knows(fp);
    }

    public void setPc(long value) {
        set(pc, value);
    }

    public void setSp(long value) {
        set(sp, value);
    }

    public void setFp(long value) {
        set(fp, value);
    }

    /** Returns a copy. */
    public Registers copy() {
        Registers copy = new Registers(architecture);
        copy.copyFrom(this);
        return copy;
    }

    /** Replaces these registers by a copy of others of the same CPU. */
    public void copyFrom(Registers other) {
        System.arraycopy(other.values, 0, values, 0, values.length);
        known = other.known;
    }

    /** Marks all registers as unknown. */
    public void clear() {
        known = 0;
    }

    @Override
    public String toString() {
        return "pc=0x" + Long.toHexString(pc()) + " sp=0x" + Long.toHexString(sp()) + " fp="
                + (knowsFp() ? "0x" + Long.toHexString(fp()) : "?");
    }
}
