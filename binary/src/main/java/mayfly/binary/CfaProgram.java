package mayfly.binary;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs call-frame instructions up to one address, DWARF 5 section 6.4.2. Opcodes: table 7.29; the GNU ones: LSB Core 5.
 */
final class CfaProgram {
    private static final int MAX_REMEMBERED = 64;
    private static final int MAX_EXPRESSION = 4096;

    private record State(@Nullable CfaRule cfa, RegisterRule[] rules) {
    }

    private final EhFrame frames;
    private final Fde fde;
    private final Cie cie;
    private final Deque<State> remembered = new ArrayDeque<>();
    private RegisterRule[] rules = new RegisterRule[UnwindRow.REGISTERS];
    private RegisterRule[] initial = new RegisterRule[0];
    private @Nullable CfaRule cfa;
    private long start;
    private long end;

    CfaProgram(EhFrame frames, Fde fde) {
        this.frames = frames;
        this.fde = fde;
        this.cie = fde.cie();
        Arrays.fill(rules, RegisterRule.UNSPECIFIED);
    }

    UnwindRow rowAt(long vaddr) throws BadFormat {
        start = fde.start();
        end = fde.end();
        run(frames.cursor(cie.programStart(), cie.programEnd()), Long.MAX_VALUE);
        initial = rules.clone();
        run(frames.cursor(fde.programStart(), fde.programEnd()), vaddr);
        CfaRule rule = cfa;
        if (rule == null) {
            throw frames.cursor(fde.programStart(), fde.programEnd()).bad("no rule for the CFA");
        }
        return new UnwindRow(start, end, rule, List.of(rules), cie.returnAddress(), cie.signalFrame());
    }

    private void run(Cursor in, long until) throws BadFormat {
        while (!in.atEnd()) {
            int opcode = in.u8();
            int low = opcode & 0x3f;
            switch (opcode >> 6) {
                case 1 -> {
                    if (advance(in, low, until)) {
                        return;
                    }
                }
                case 2 -> set(low, new RegisterRule.Offset(in.uleb() * cie.dataAlign()));
                case 3 -> restore(low);
                default -> {
                    if (extended(low, in, until)) {
                        return;
                    }
                }
            }
        }
    }

    /** Whether the row that now begins lies beyond the address. */
    private boolean advance(Cursor in, long by, long until) throws BadFormat {
        long delta = by * cie.codeAlign();
        if (delta < 0 || delta > ElfFile.MAX_SPAN) {
            throw in.bad("advances by " + delta);
        }
        return moveTo(start + delta, until);
    }

    private boolean moveTo(long location, long until) {
        if (location > until) {
            end = Math.min(end, location);
            return true;
        }
        start = location;
        return false;
    }

    /** Whether a row begins that lies beyond the address. */
    private boolean extended(int opcode, Cursor in, long until) throws BadFormat {
        switch (opcode) {
            case 0x00 -> { }
            case 0x01 -> {
                return moveTo(PointerEncoding.read(in, cie.pointers(), frames.vaddr(), 0), until);
            }
            case 0x02 -> {
                return advance(in, in.u8(), until);
            }
            case 0x03 -> {
                return advance(in, in.u16(), until);
            }
            case 0x04 -> {
                return advance(in, in.u32(), until);
            }
            case 0x05 -> set(in.uleb(), new RegisterRule.Offset(in.uleb() * cie.dataAlign()));
            case 0x06 -> restore(in.uleb());
            case 0x07 -> set(in.uleb(), RegisterRule.UNDEFINED);
            case 0x08 -> set(in.uleb(), RegisterRule.SAME_VALUE);
            case 0x09 -> {
                long register = in.uleb();
                set(register, new RegisterRule.Register(register(in)));
            }
            case 0x0a -> {
                if (remembered.size() == MAX_REMEMBERED) {
                    throw in.bad("remembers more than " + MAX_REMEMBERED + " states");
                }
                remembered.push(new State(cfa, rules.clone()));
            }
            case 0x0b -> {
                State state = remembered.poll();
                if (state == null) {
                    throw in.bad("restores a state that was not remembered");
                }
                cfa = state.cfa;
                rules = state.rules;
            }
            case 0x0c -> cfa = new CfaRule.RegisterOffset(register(in), in.uleb());
            case 0x0d -> cfa = new CfaRule.RegisterOffset(register(in), cfaOffset(in));
            case 0x0e -> cfa = new CfaRule.RegisterOffset(cfaRegister(in), in.uleb());
            case 0x0f -> cfa = new CfaRule.Computed(expression(in));
            case 0x10 -> set(in.uleb(), new RegisterRule.Expression(expression(in)));
            case 0x11 -> set(in.uleb(), new RegisterRule.Offset(in.sleb() * cie.dataAlign()));
            case 0x12 -> cfa = new CfaRule.RegisterOffset(register(in), in.sleb() * cie.dataAlign());
            case 0x13 -> cfa = new CfaRule.RegisterOffset(cfaRegister(in), in.sleb() * cie.dataAlign());
            case 0x14 -> set(in.uleb(), new RegisterRule.ValOffset(in.uleb() * cie.dataAlign()));
            case 0x15 -> set(in.uleb(), new RegisterRule.ValOffset(in.sleb() * cie.dataAlign()));
            case 0x16 -> set(in.uleb(), new RegisterRule.ValExpression(expression(in)));
            // DW_CFA_GNU_args_size matters to exception handlers only.
            case 0x2e -> in.uleb();
            case 0x2f -> set(in.uleb(), new RegisterRule.Offset(-in.uleb() * cie.dataAlign()));
            default -> throw in.bad("call-frame instruction 0x" + Integer.toHexString(opcode));
        }
        return false;
    }

    /** Registers beyond the general ones are vector registers, which no caller's frame depends on. */
    private void set(long register, RegisterRule rule) {
        if (register >= 0 && register < rules.length) {
            rules[(int) register] = rule;
        }
    }

    private void restore(long register) {
        if (register >= 0 && register < initial.length) {
            rules[(int) register] = initial[(int) register];
        }
    }

    private static int register(Cursor in) throws BadFormat {
        long register = in.uleb();
        if (register < 0 || register >= UnwindRow.REGISTERS) {
            throw in.bad("depends on register " + register);
        }
        return (int) register;
    }

    private int cfaRegister(Cursor in) throws BadFormat {
        if (cfa instanceof CfaRule.RegisterOffset r) {
            return r.register();
        }
        throw in.bad("changes the offset of a CFA that is not register + offset");
    }

    private long cfaOffset(Cursor in) throws BadFormat {
        if (cfa instanceof CfaRule.RegisterOffset r) {
            return r.offset();
        }
        throw in.bad("changes the register of a CFA that is not register + offset");
    }

    private static DwarfExpression expression(Cursor in) throws BadFormat {
        return new DwarfExpression(in.copy(in.uleb(), MAX_EXPRESSION));
    }
}
