package mayfly.binary.dwarf;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import mayfly.binary.BadFormat;
import mayfly.binary.Cursor;
import mayfly.binary.elf.ElfFile;
import org.jspecify.annotations.Nullable;

/** Runs call-frame instructions up to one address, DWARF 5 section 6.4.2. */
public final class CfaProgram {
    // DW_CFA_*, DWARF 5 table 7.29. Operations in the upper two bits of the byte, with an operand in the lower six.
    private static final int ADVANCE_LOC = 1;
    private static final int OFFSET = 2;
    private static final int RESTORE = 3;
    // Operations in the lower six bits, if the upper two are 0.
    private static final int NOP = 0x00;
    private static final int SET_LOC = 0x01;
    private static final int ADVANCE_LOC1 = 0x02;
    private static final int ADVANCE_LOC2 = 0x03;
    private static final int ADVANCE_LOC4 = 0x04;
    private static final int OFFSET_EXTENDED = 0x05;
    private static final int RESTORE_EXTENDED = 0x06;
    private static final int UNDEFINED = 0x07;
    private static final int SAME_VALUE = 0x08;
    private static final int REGISTER = 0x09;
    private static final int REMEMBER_STATE = 0x0a;
    private static final int RESTORE_STATE = 0x0b;
    private static final int DEF_CFA = 0x0c;
    private static final int DEF_CFA_REGISTER = 0x0d;
    private static final int DEF_CFA_OFFSET = 0x0e;
    private static final int DEF_CFA_EXPRESSION = 0x0f;
    private static final int EXPRESSION = 0x10;
    private static final int OFFSET_EXTENDED_SF = 0x11;
    private static final int DEF_CFA_SF = 0x12;
    private static final int DEF_CFA_OFFSET_SF = 0x13;
    private static final int VAL_OFFSET = 0x14;
    private static final int VAL_OFFSET_SF = 0x15;
    private static final int VAL_EXPRESSION = 0x16;
    // LSB Core 5 section 10.6.1.1.
    private static final int GNU_ARGS_SIZE = 0x2e;
    private static final int GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f;

    private static final int MAX_REMEMBERED = 64;
    private static final int MAX_EXPRESSION = 4096;

    private record State(@Nullable CfaRule cfa, RegisterRule[] rules) {}

    private final EhFrame frames;
    private final Fde fde;
    private final Cie cie;
    private final Deque<State> remembered = new ArrayDeque<>();
    private RegisterRule[] rules;
    private RegisterRule[] initial = new RegisterRule[0];
    private @Nullable CfaRule cfa;
    /** True once the instructions of the CIE have been executed. Only the instructions of the FDE begin rows. */
    private boolean inFde;

    private long start;
    private long end;

    public CfaProgram(EhFrame frames, Fde fde) {
        this.frames = frames;
        this.fde = fde;
        this.cie = fde.cie();
        this.rules = new RegisterRule[frames.registers()];
        Arrays.fill(rules, RegisterRule.UNSPECIFIED);
    }

    /**
     * Returns the row for an address in the range of the entry.
     *
     * @throws BadFormat if the instructions are malformed or define no canonical frame address
     */
    public UnwindRow rowAt(long vaddr) throws BadFormat {
        start = fde.start();
        end = fde.end();
        run(frames.cursor(cie.programStart(), cie.programEnd()), Long.MAX_VALUE);
        initial = rules.clone();
        inFde = true;
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
                case ADVANCE_LOC -> {
                    if (advance(in, low, until)) {
                        return;
                    }
                }
                case OFFSET -> set(low, new RegisterRule.Offset(in.uleb() * cie.dataAlign()));
                case RESTORE -> restore(low);
                default -> {
                    if (extended(low, in, until)) {
                        return;
                    }
                }
            }
        }
    }

    /** Advances the location. Returns true if the new row lies beyond the address. */
    private boolean advance(Cursor in, long by, long until) throws BadFormat {
        long delta = by * cie.codeAlign();
        if (delta < 0 || delta > ElfFile.MAX_SPAN) {
            throw in.bad("advances by " + delta);
        }
        return moveTo(in, start + delta, until);
    }

    private boolean moveTo(Cursor in, long location, long until) throws BadFormat {
        if (location < start || !inFde) {
            throw in.bad("a row at 0x" + Long.toHexString(location) + " after 0x" + Long.toHexString(start));
        }
        if (location > until) {
            end = Math.min(end, location);
            return true;
        }
        start = location;
        return false;
    }

    /** Executes an extended instruction. Returns true if a row begins that lies beyond the address. */
    private boolean extended(int opcode, Cursor in, long until) throws BadFormat {
        switch (opcode) {
            case NOP -> {}
            case SET_LOC -> {
                return moveTo(in, PointerEncoding.read(in, cie.pointers(), frames.vaddr(), 0), until);
            }
            case ADVANCE_LOC1 -> {
                return advance(in, in.u8(), until);
            }
            case ADVANCE_LOC2 -> {
                return advance(in, in.u16(), until);
            }
            case ADVANCE_LOC4 -> {
                return advance(in, in.u32(), until);
            }
            case OFFSET_EXTENDED -> set(in.uleb(), new RegisterRule.Offset(in.uleb() * cie.dataAlign()));
            case RESTORE_EXTENDED -> restore(in.uleb());
            case UNDEFINED -> set(in.uleb(), RegisterRule.UNDEFINED);
            case SAME_VALUE -> set(in.uleb(), RegisterRule.SAME_VALUE);
            case REGISTER -> {
                long register = in.uleb();
                set(register, new RegisterRule.Register(register(in)));
            }
            case REMEMBER_STATE -> {
                if (remembered.size() == MAX_REMEMBERED) {
                    throw in.bad("remembers more than " + MAX_REMEMBERED + " states");
                }
                remembered.push(new State(cfa, rules.clone()));
            }
            case RESTORE_STATE -> {
                State state = remembered.poll();
                if (state == null) {
                    throw in.bad("restores a state that was not remembered");
                }
                cfa = state.cfa;
                rules = state.rules;
            }
            case DEF_CFA -> cfa = new CfaRule.RegisterOffset(register(in), in.uleb());
            case DEF_CFA_REGISTER -> cfa = new CfaRule.RegisterOffset(register(in), cfaOffset(in));
            case DEF_CFA_OFFSET -> cfa = new CfaRule.RegisterOffset(cfaRegister(in), in.uleb());
            case DEF_CFA_EXPRESSION -> cfa = new CfaRule.Computed(expression(in));
            case EXPRESSION -> set(in.uleb(), new RegisterRule.Expression(expression(in)));
            case OFFSET_EXTENDED_SF -> set(in.uleb(), new RegisterRule.Offset(in.sleb() * cie.dataAlign()));
            case DEF_CFA_SF -> cfa = new CfaRule.RegisterOffset(register(in), in.sleb() * cie.dataAlign());
            case DEF_CFA_OFFSET_SF -> cfa = new CfaRule.RegisterOffset(cfaRegister(in), in.sleb() * cie.dataAlign());
            case VAL_OFFSET -> set(in.uleb(), new RegisterRule.ValOffset(in.uleb() * cie.dataAlign()));
            case VAL_OFFSET_SF -> set(in.uleb(), new RegisterRule.ValOffset(in.sleb() * cie.dataAlign()));
            case VAL_EXPRESSION -> set(in.uleb(), new RegisterRule.ValExpression(expression(in)));
            case GNU_ARGS_SIZE -> in.uleb(); // only used by exception handlers
            case GNU_NEGATIVE_OFFSET_EXTENDED -> set(in.uleb(), new RegisterRule.Offset(-in.uleb() * cie.dataAlign()));
            default -> throw in.bad("call-frame instruction 0x" + Integer.toHexString(opcode));
        }
        return false;
    }

    /**
     * Sets the rule of a register. Registers beyond the general ones are vector registers, which are irrelevant for the
     * caller's frame.
     */
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

    private int register(Cursor in) throws BadFormat {
        long register = in.uleb();
        if (register < 0 || register >= frames.registers()) {
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

    private DwarfExpression expression(Cursor in) throws BadFormat {
        return new DwarfExpression(in.copy(in.uleb(), MAX_EXPRESSION), frames.registers());
    }
}
