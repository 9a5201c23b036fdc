package mayfly.unwind;

import mayfly.arch.Architecture;
import mayfly.arch.Epilogue;
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
 * <p>Rows of the common form are stored as numbers: the cfa is a register plus a constant, and registers are saved at
 * constant offsets from it.
 */
final class NativeSite {
    /** The way in which the caller is found. */
    enum Kind {
        /** By the row, which is stored as numbers in this site. */
        SIMPLE,
        /** By the {@link NativeSite#row}. */
        GENERAL,
        /** There is no caller: this is a thread's first function. */
        ROOT,
        /** By the function's instructions, which were decoded from the program counter to the function's exit. */
        LEAF,
        /** After the system call that creates a thread. In the new thread, the frame has no caller. */
        THREAD_START,
        /** There is no call-frame information. */
        NONE,
        /** The call-frame information is malformed or unknown. */
        BAD
    }

    final Frame.Native frame;
    final Kind kind;
    /**
     * The row of a {@link Kind#GENERAL} site, otherwise null. Rows are large, and there are tens of thousands of sites.
     */
    final @Nullable UnwindRow row;

    final boolean signalFrame;
    final int cfaRegister;
    final long cfaOffset;
    /** True if the return address is in the link register; otherwise it is at an offset. */
    final boolean returnsByLinkRegister;
    /**
     * The offset of the return address from the canonical frame address; in a function that is decoded to its exit,
     * from the stack pointer.
     */
    final long returnAddressOffset;
    /** The offset of the caller's stack pointer from the stack pointer, in a function that is decoded to its exit. */
    final long callersStackPointerOffset;

    final int[] savedRegisters;
    final int[] savedOffsets;
    /** A mask of the registers that the row declares undefined. */
    final long lost;
    /**
     * A mask of the registers that already hold the caller's value, even if the row gives them a slot: see
     * {@link Epilogue#keeps}.
     */
    final long kept;

    private NativeSite(
            Frame.Native frame,
            Kind kind,
            @Nullable UnwindRow row,
            boolean returnsByLinkRegister,
            long returnAddressOffset,
            long callersStackPointerOffset,
            long kept) {
        this.frame = frame;
        this.kind = kind;
        this.row = kind == Kind.GENERAL ? row : null;
        this.kept = kept;
        this.signalFrame = row != null && row.signalFrame();
        int count = row == null ? 0 : row.registers();
        int[] registers = new int[count];
        int[] offsets = new int[count];
        int n = 0;
        long forget = 0;
        for (int r = 0; row != null && r < count; r++) {
            RegisterRule rule = row.rule(r);
            if (r != row.returnAddress() && rule instanceof RegisterRule.Offset o) {
                registers[n] = r;
                offsets[n++] = (int) o.offset();
            } else if (rule instanceof RegisterRule.Undefined) {
                forget |= 1L << r;
            }
        }
        this.savedRegisters = java.util.Arrays.copyOf(registers, n);
        this.savedOffsets = java.util.Arrays.copyOf(offsets, n);
        this.lost = forget;
        this.cfaRegister = row != null && row.cfa() instanceof CfaRule.RegisterOffset c ? c.register() : 0;
        this.cfaOffset = row != null && row.cfa() instanceof CfaRule.RegisterOffset c ? c.offset() : 0;
        this.returnsByLinkRegister = returnsByLinkRegister;
        this.returnAddressOffset = returnAddressOffset;
        this.callersStackPointerOffset = callersStackPointerOffset;
    }

    static NativeSite without(Frame.Native frame, Kind kind) {
        return new NativeSite(frame, kind, null, false, 0, 0, 0);
    }

    /** Creates a site in a function without call-frame information whose exit is determined by its instructions. */
    static NativeSite leaf(Frame.Native frame, Kind kind, Epilogue epilogue) {
        return new NativeSite(
                frame,
                kind,
                null,
                epilogue.returnsByLinkRegister(),
                epilogue.returnAddressOffset(),
                epilogue.callersStackPointerOffset(),
                0);
    }

    /** Creates a site in a function that has created a thread, with the stack as at its entry. */
    static NativeSite threadStart(Frame.Native frame, Architecture architecture) {
        return new NativeSite(
                frame,
                Kind.THREAD_START,
                null,
                architecture.hasLinkRegister(),
                0,
                architecture.callersStackPointerAtEntry(),
                0);
    }

    static NativeSite of(Architecture architecture, Frame.Native frame, UnwindRow row, long kept) {
        if (row.returnAddressUndefined()) {
            return new NativeSite(frame, Kind.ROOT, row, false, 0, 0, 0);
        }
        int sp = architecture.stackPointer();
        boolean byLinkRegister = isInLinkRegister(architecture, row);
        boolean simple = row.cfa() instanceof CfaRule.RegisterOffset && !row.signalFrame();
        long returnAddress = 0;
        for (int r = 0; r < row.registers(); r++) {
            RegisterRule rule = row.rule(r);
            if (r == row.returnAddress()) {
                simple &= byLinkRegister || rule instanceof RegisterRule.Offset;
                returnAddress = rule instanceof RegisterRule.Offset o ? o.offset() : 0;
            } else {
                simple &= switch (rule) {
                    case RegisterRule.Unspecified u -> true;
                    case RegisterRule.Undefined u -> r != sp;
                    case RegisterRule.SameValue s -> (architecture.calleeSaved() >>> r & 1) != 0 && r != sp;
                    case RegisterRule.Offset o -> r != sp && o.offset() == (int) o.offset();
                    case RegisterRule.ValOffset v -> false;
                    case RegisterRule.Register x -> false;
                    case RegisterRule.Expression e -> false;
                    case RegisterRule.ValExpression e -> false;
                };
            }
        }
        return new NativeSite(frame, simple ? Kind.SIMPLE : Kind.GENERAL, row, byLinkRegister, returnAddress, 0, kept);
    }

    /** Returns true if a row leaves the return address in the link register, where a call puts it. */
    static boolean isInLinkRegister(Architecture architecture, UnwindRow row) {
        RegisterRule rule = row.rule(row.returnAddress());
        return architecture.hasLinkRegister()
                && row.returnAddress() == architecture.linkRegister()
                && (rule instanceof RegisterRule.Unspecified || rule instanceof RegisterRule.SameValue);
    }

    /** Returns the canonical frame address of a {@link Kind#SIMPLE} site whose {@link #cfaRegister} is known. */
    long cfa(Registers registers) {
        return registers.get(cfaRegister) + cfaOffset;
    }

    /** Returns the outcome of a walk that cannot continue from here. */
    Step end() {
        return kind == Kind.BAD ? Step.BAD_CFI : Step.NO_CFI;
    }
}
