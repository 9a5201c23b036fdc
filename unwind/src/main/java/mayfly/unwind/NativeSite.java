package mayfly.unwind;

import mayfly.binary.dwarf.CfaRule;
import mayfly.binary.dwarf.RegisterRule;
import mayfly.binary.dwarf.UnwindRow;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;

/**
 * The decoded form of one native program counter: its frame, and the way to unwind it.
 *
 * <p>Rows of the common form, cfa = register + constant and registers saved at constants from it, are stored as
 * numbers.
 */
final class NativeSite {
    /** Registers that a callee preserves for its caller: System V ABI, AMD64 supplement, figure 3.4. */
    static final int CALLEE_SAVED = 1 << Registers.RBX | 1 << Registers.RBP | 1 << Registers.RSP | 1 << Registers.R12
            | 1 << Registers.R13 | 1 << Registers.R14 | 1 << Registers.R15 | 1 << Registers.RIP;

    /** The way to find its caller. */
    enum Kind {
        /** By the numbers in this site. */
        SIMPLE,
        /** By the row. */
        GENERAL,
        /** There is no caller: this is a thread's first function. */
        ROOT,
        /** A function that does not change the stack before it returns. */
        LEAF,
        /** After the system call that creates a thread: the new thread has no caller. */
        THREAD_START,
        /** There is no call-frame information. */
        NONE,
        /** The call-frame information is malformed or unknown. */
        BAD
    }

    final Frame.Native frame;
    final Kind kind;
    /** The row, only of a {@link Kind#GENERAL} site: rows are large, and there are tens of thousands of sites. */
    final @Nullable UnwindRow row;
    final boolean signalFrame;
    final int cfaRegister;
    final long cfaOffset;
    final long returnAddressOffset;
    final int[] savedRegisters;
    final int[] savedOffsets;
    /** A mask of the registers that are lost according to the row. */
    final int lost;
    /** A mask of the registers that hold the caller's value although the row names a slot: see {@link Epilogue}. */
    final int kept;

    private NativeSite(Frame.Native frame, Kind kind, @Nullable UnwindRow row, long returnAddressOffset, int kept) {
        this.frame = frame;
        this.kind = kind;
        this.row = kind == Kind.GENERAL ? row : null;
        this.kept = kept;
        this.signalFrame = row != null && row.signalFrame();
        int[] registers = new int[UnwindRow.REGISTERS];
        int[] offsets = new int[UnwindRow.REGISTERS];
        int n = 0;
        int forget = 0;
        for (int r = 0; row != null && r < UnwindRow.REGISTERS; r++) {
            RegisterRule rule = row.rule(r);
            if (r != row.returnAddress() && rule instanceof RegisterRule.Offset o) {
                registers[n] = r;
                offsets[n++] = (int) o.offset();
            } else if (rule instanceof RegisterRule.Undefined) {
                forget |= 1 << r;
            }
        }
        this.savedRegisters = java.util.Arrays.copyOf(registers, n);
        this.savedOffsets = java.util.Arrays.copyOf(offsets, n);
        this.lost = forget;
        this.cfaRegister = row != null && row.cfa() instanceof CfaRule.RegisterOffset c ? c.register() : 0;
        this.cfaOffset = row != null && row.cfa() instanceof CfaRule.RegisterOffset c ? c.offset() : 0;
        this.returnAddressOffset = returnAddressOffset;
    }

    static NativeSite without(Frame.Native frame, Kind kind, long returnAddressOffset) {
        return new NativeSite(frame, kind, null, returnAddressOffset, 0);
    }

    static NativeSite of(Frame.Native frame, UnwindRow row, int kept) {
        if (row.returnAddressUndefined()) {
            return new NativeSite(frame, Kind.ROOT, row, 0, 0);
        }
        boolean simple = row.cfa() instanceof CfaRule.RegisterOffset && !row.signalFrame();
        long returnAddress = 0;
        for (int r = 0; r < UnwindRow.REGISTERS; r++) {
            RegisterRule rule = row.rule(r);
            if (r == row.returnAddress()) {
                simple &= rule instanceof RegisterRule.Offset;
                returnAddress = rule instanceof RegisterRule.Offset o ? o.offset() : 0;
            } else {
                simple &= switch (rule) {
                    case RegisterRule.Unspecified u -> true;
                    case RegisterRule.Undefined u -> r != Registers.RSP;
                    case RegisterRule.SameValue s -> (CALLEE_SAVED >> r & 1) != 0 && r != Registers.RSP;
                    case RegisterRule.Offset o -> r != Registers.RSP && o.offset() == (int) o.offset();
                    case RegisterRule.ValOffset v -> false;
                    case RegisterRule.Register x -> false;
                    case RegisterRule.Expression e -> false;
                    case RegisterRule.ValExpression e -> false;
                };
            }
        }
        return new NativeSite(frame, simple ? Kind.SIMPLE : Kind.GENERAL, row, returnAddress, kept);
    }

    /** Returns the outcome of a walk that cannot continue from here. */
    Step end() {
        return kind == Kind.BAD ? Step.BAD_CFI : Step.NO_CFI;
    }
}
