package mayfly.process;

import mayfly.arch.Architecture;

/**
 * The general registers of one thread at one frame, and which of them are known. Numbered as in DWARF: see
 * {@link Architecture}. Mutable: a walk restores its caller's registers into the same object.
 */
public final class Registers {
    private final Architecture architecture;
    private final int pc;
    private final int sp;
    private final int fp;
    private final long[] values;
    private long known;

    /** Registers of a CPU, of which none is known. */
    public Registers(Architecture architecture) {
        this.architecture = architecture;
        this.pc = architecture.programCounter();
        this.sp = architecture.stackPointer();
        this.fp = architecture.framePointer();
        this.values = new long[architecture.registers()];
    }

    /** The CPU that they are of. */
    public Architecture architecture() {
        return architecture;
    }

    /** Returns the value of a register, which is meaningless unless it {@link #knows} the register. */
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

    /** Marks a register as unknown: nothing may be derived from it. */
    public void forget(int register) {
        known &= ~(1L << register);
    }

    /** Keeps only the registers in the mask, which has a bit for each register's number. */
    public void retain(long mask) {
        known &= mask;
    }

    /** The program counter. */
    public long pc() {
        return values[pc];
    }

    /** The stack pointer. */
    public long sp() {
        return values[sp];
    }

    /** The register that compilers use for the frame pointer. */
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

    /** The same registers, in an object of their own. */
    public Registers copy() {
        Registers copy = new Registers(architecture);
        copy.copyFrom(this);
        return copy;
    }

    /** Takes over another object's registers, which are of the same CPU. */
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
