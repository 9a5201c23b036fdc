package mayfly.process;

/**
 * The general registers of one x86-64 thread at one frame, and which of them are known.
 *
 * <p>Numbered as in the System V ABI, AMD64 supplement, figure 3.36 (DWARF register number mapping); 16 is the return
 * address column, which holds the program counter. Mutable: a walk restores its caller's registers into the same
 * object.
 */
public final class Registers {
    public static final int RAX = 0;
    public static final int RDX = 1;
    public static final int RCX = 2;
    public static final int RBX = 3;
    public static final int RSI = 4;
    public static final int RDI = 5;
    public static final int RBP = 6;
    public static final int RSP = 7;
    public static final int R8 = 8;
    public static final int R10 = 10;
    public static final int R12 = 12;
    public static final int R13 = 13;
    public static final int R14 = 14;
    public static final int R15 = 15;
    public static final int RIP = 16;
    public static final int COUNT = 17;
    /** A mask with every register known. */
    public static final int ALL = (1 << COUNT) - 1;

    private final long[] values = new long[COUNT];
    private int known;

    /** Returns the value of a register, which is meaningless unless it {@link #knows} the register. */
    public long get(int register) {
        return values[register];
    }

    /** Returns true if the value of a register is known. */
    public boolean knows(int register) {
        return (known >> register & 1) != 0;
    }

    /** Sets the value of a register and marks it as known. */
    public void set(int register, long value) {
        values[register] = value;
        known |= 1 << register;
    }

    /** Marks a register as unknown: nothing may be derived from it. */
    public void forget(int register) {
        known &= ~(1 << register);
    }

    /** Keeps only the registers in the mask. */
    public void retain(int mask) {
        known &= mask;
    }

    public long pc() {
        return values[RIP];
    }

    public long sp() {
        return values[RSP];
    }

    public long fp() {
        return values[RBP];
    }

    public void copyFrom(Registers other) {
        System.arraycopy(other.values, 0, values, 0, COUNT);
        known = other.known;
    }

    /** Marks all registers as unknown. */
    public void clear() {
        known = 0;
    }

    @Override
    public String toString() {
        return "pc=0x" + Long.toHexString(pc()) + " sp=0x" + Long.toHexString(sp()) + " fp="
                + (knows(RBP) ? "0x" + Long.toHexString(fp()) : "?");
    }
}
