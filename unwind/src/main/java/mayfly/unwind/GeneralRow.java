package mayfly.unwind;

import mayfly.arch.Architecture;
import mayfly.binary.BadFormat;
import mayfly.binary.dwarf.CfaRule;
import mayfly.binary.dwarf.DwarfExpression;
import mayfly.binary.dwarf.DwarfExpression.Unavailable;
import mayfly.binary.dwarf.RegisterRule;
import mayfly.binary.dwarf.UnwindRow;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;

/**
 * Applies a row of any form, such as a row of a signal frame, or one with expressions or with registers saved in
 * registers. Reusable.
 */
final class GeneralRow implements DwarfExpression.Frame {
    private final long[] values;
    private final Architecture architecture;
    private long known;
    private @Nullable FrameCursor cursor;
    private int returnColumn;

    GeneralRow(Architecture architecture) {
        this.architecture = architecture;
        this.values = new long[architecture.registers()];
    }

    /** Computes the caller's registers. Returns CALLER if the return address and the stack pointer are known. */
    Step apply(FrameCursor at, NativeSite site) {
        UnwindRow row = site.row;
        if (row == null) {
            return Step.NO_CFI;
        }
        cursor = at;
        known = 0;
        returnColumn = row.returnAddress();
        try {
            long cfa = switch (row.cfa()) {
                case CfaRule.RegisterOffset r -> register(r.register()) + r.offset();
                case CfaRule.Computed c -> c.expression().evaluate(this);
            };
            // The return address is restored first, because the other registers are useless without it.
            set(
                    returnColumn,
                    NativeSite.isInLinkRegister(architecture, row)
                            ? register(returnColumn)
                            : required(row.rule(returnColumn), cfa));
            for (int r = 0; r < row.registers(); r++) {
                if (r != returnColumn) {
                    restore(r, row.rule(r), cfa, site);
                }
            }
            return (known >>> architecture.stackPointer() & 1) != 0 ? Step.CALLER : Step.UNKNOWN_REGISTER;
        } catch (BadFormat e) {
            return Step.BAD_CFI;
        } catch (Unavailable e) {
            return e == Unavailable.REGISTER ? Step.UNKNOWN_REGISTER : Step.STACK_UNREADABLE;
        }
    }

    long returnAddress() {
        return values[returnColumn];
    }

    long stackPointer() {
        return values[architecture.stackPointer()];
    }

    /** Replaces this frame's registers by the caller's. */
    void store(Registers registers) {
        registers.clear();
        for (int r = 0; r < values.length; r++) {
            if ((known >>> r & 1) != 0) {
                registers.set(r, values[r]);
            }
        }
    }

    private void set(int register, long value) {
        values[register] = value;
        known |= 1L << register;
    }

    private void restore(int r, RegisterRule rule, long cfa, NativeSite site) throws BadFormat {
        try {
            if (rule instanceof RegisterRule.Undefined) {
                return;
            }
            if (rule instanceof RegisterRule.SameValue) {
                set(r, register(r));
                return;
            }
            if (rule instanceof RegisterRule.Unspecified) {
                if (r == architecture.stackPointer()) {
                    set(r, cfa);
                } else if ((architecture.calleeSaved() >>> r & 1) != 0) {
                    set(r, register(r));
                }
                return;
            }
            boolean below = rule instanceof RegisterRule.Offset o && isBelowStack(cfa + o.offset());
            if (!below) {
                set(r, required(rule, cfa));
            } else if ((site.kept >>> r & 1) != 0) {
                set(r, register(r));
            }
        } catch (Unavailable e) {
            // The walk continues, and ends only at a frame that needs this register.
            known &= ~(1L << r);
        }
    }

    private long required(RegisterRule rule, long cfa) throws BadFormat, Unavailable {
        return switch (rule) {
            case RegisterRule.Unspecified u -> throw Unavailable.REGISTER;
            case RegisterRule.Undefined u -> throw Unavailable.REGISTER;
            case RegisterRule.SameValue s -> throw Unavailable.REGISTER;
            case RegisterRule.Offset o -> memory(cfa + o.offset(), 8);
            case RegisterRule.ValOffset v -> cfa + v.offset();
            case RegisterRule.Register x -> register(x.register());
            case RegisterRule.Expression e -> memory(e.expression().evaluate(this, cfa), 8);
            case RegisterRule.ValExpression e -> e.expression().evaluate(this, cfa);
        };
    }

    private FrameCursor cursor() {
        FrameCursor at = cursor;
        if (at == null) {
            throw new IllegalStateException("no frame");
        }
        return at;
    }

    private boolean isBelowStack(long address) {
        FrameCursor at = cursor();
        long readable = at.registers().sp() - (at.exact() && !at.top() ? architecture.redZone() : 0);
        return address - readable < 0;
    }

    @Override
    public long register(int number) throws Unavailable {
        Registers registers = cursor().registers();
        if (!registers.knows(number)) {
            throw Unavailable.REGISTER;
        }
        return registers.get(number);
    }

    /**
     * Reads the stack as it was at the time of the sample, and all other memory as it is now.
     *
     * @throws Unavailable if the memory cannot be read
     */
    @Override
    public long memory(long address, int size) throws Unavailable {
        FrameCursor at = cursor();
        try {
            return number(at.stack(), address, size);
        } catch (MemoryFault e) {
            try {
                return number(at.memory(), address, size);
            } catch (MemoryFault again) {
                throw Unavailable.MEMORY;
            }
        }
    }

    private static long number(Memory memory, long address, int size) throws MemoryFault {
        return switch (size) {
            case 1 -> memory.readByte(address);
            case 2 -> memory.readShort(address);
            case 4 -> memory.readInt(address) & 0xffff_ffffL;
            default -> memory.readLong(address);
        };
    }
}
