package mayfly.binary.dwarf;

import static mayfly.binary.dwarf.DwarfOp.*;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import mayfly.binary.BadFormat;
import mayfly.binary.Cursor;

/** A DWARF expression in call-frame information, DWARF 5 sections 2.5 and 6.4.2.3. */
public final class DwarfExpression {
    private static final int MAX_STACK = 64;
    private static final int MAX_STEPS = 1000;

    /** The frame for which an expression is evaluated. */
    public interface Frame {
        /**
         * Returns the value of a register in this frame.
         *
         * @throws Unavailable if the value is unknown
         */
        long register(int number) throws Unavailable;

        /**
         * Returns the little-endian number of 1, 2, 4 or 8 bytes at an address.
         *
         * @throws Unavailable if the memory cannot be read
         */
        long memory(long address, int size) throws Unavailable;
    }

    /** Thrown if the value of a register is unknown, or memory cannot be read. */
    public static final class Unavailable extends Exception {
        private static final long serialVersionUID = 1L;
        public static final Unavailable REGISTER = new Unavailable("unknown register");
        public static final Unavailable MEMORY = new Unavailable("memory not readable");

        private Unavailable(String message) {
            super(message, null, false, false);
        }
    }

    private final byte[] code;
    private final int registers;

    /** @param registers the number of registers that it may refer to; their DWARF numbers are below this number */
    public DwarfExpression(byte[] code, int registers) {
        this.code = code;
        this.registers = registers;
    }

    /**
     * Returns the value of the expression, with the given initial stack.
     *
     * @throws BadFormat if the expression is malformed
     * @throws Unavailable if it needs a register or memory that the frame does not have
     */
    public long evaluate(Frame frame, long... initial) throws BadFormat, Unavailable {
        Cursor in = new Cursor("expression", MemorySegment.ofArray(code));
        long[] stack = new long[MAX_STACK];
        System.arraycopy(initial, 0, stack, 0, initial.length);
        int depth = initial.length;
        for (int steps = 0; !in.atEnd(); steps++) {
            if (steps == MAX_STEPS) {
                throw in.bad("more than " + MAX_STEPS + " steps");
            }
            int op = in.u8();
            int wants = operands(op);
            if (depth < wants || depth >= MAX_STACK - 1) {
                throw in.bad("stack of " + depth + " at operation 0x" + Integer.toHexString(op));
            }
            depth = step(op, in, stack, depth, frame);
        }
        if (depth < 1) {
            throw in.bad("no value");
        }
        return stack[depth - 1];
    }

    /** Returns the number of stack entries that an operation uses. */
    private static int operands(int op) {
        return switch (op) {
            case DEREF, DUP, DROP, ABS, NEG, NOT, PLUS_UCONST, BRA, DEREF_SIZE -> 1;
            case OVER, SWAP, AND, DIV, MINUS, MOD, MUL, OR, PLUS, SHL, SHR, SHRA, XOR, EQ, GE, GT, LE, LT, NE -> 2;
            case ROT -> 3;
            default -> 0;
        };
    }

    private int step(int op, Cursor in, long[] s, int depth, Frame frame) throws BadFormat, Unavailable {
        int n = depth;
        if (op >= LIT0 && op <= LIT31) {
            s[n++] = op - LIT0;
            return n;
        }
        if (op >= BREG0 && op <= BREG31 && op - BREG0 < registers) {
            s[n++] = frame.register(op - BREG0) + in.sleb();
            return n;
        }
        switch (op) {
            case ADDR, CONST8U, CONST8S -> s[n++] = in.u64();
            case DEREF -> s[n - 1] = frame.memory(s[n - 1], 8);
            case CONST1U -> s[n++] = in.u8();
            case CONST1S -> s[n++] = (byte) in.u8();
            case CONST2U -> s[n++] = in.u16();
            case CONST2S -> s[n++] = (short) in.u16();
            case CONST4U -> s[n++] = in.u32();
            case CONST4S -> s[n++] = in.s32();
            case CONSTU -> s[n++] = in.uleb();
            case CONSTS -> s[n++] = in.sleb();
            case DUP -> {
                s[n] = s[n - 1];
                n++;
            }
            case DROP -> n--;
            case OVER -> {
                s[n] = s[n - 2];
                n++;
            }
            case PICK -> {
                int index = in.u8();
                if (index >= n) {
                    throw in.bad("picks entry " + index + " of " + n);
                }
                s[n] = s[n - 1 - index];
                n++;
            }
            case SWAP -> {
                long top = s[n - 1];
                s[n - 1] = s[n - 2];
                s[n - 2] = top;
            }
            case ROT -> {
                long top = s[n - 1];
                s[n - 1] = s[n - 2];
                s[n - 2] = s[n - 3];
                s[n - 3] = top;
            }
            case ABS -> s[n - 1] = Math.abs(s[n - 1]);
            case NEG -> s[n - 1] = -s[n - 1];
            case NOT -> s[n - 1] = ~s[n - 1];
            case PLUS_UCONST -> s[n - 1] += in.uleb();
            case BRA -> {
                int by = (short) in.u16();
                if (s[--n] != 0) {
                    in.seek(in.position() + by);
                }
            }
            case SKIP -> {
                int by = (short) in.u16();
                in.seek(in.position() + by);
            }
            case BREGX -> {
                long register = in.uleb();
                long offset = in.sleb();
                if (register < 0 || register >= registers) {
                    throw in.bad("register " + register);
                }
                s[n++] = frame.register((int) register) + offset;
            }
            case DEREF_SIZE -> {
                int size = in.u8();
                if (size != 1 && size != 2 && size != 4 && size != 8) {
                    throw in.bad("reads " + size + " bytes");
                }
                s[n - 1] = frame.memory(s[n - 1], size);
            }
            case NOP -> {}
            default -> {
                if (operands(op) != 2) {
                    throw in.bad("operation 0x" + Integer.toHexString(op));
                }
                n--;
                s[n - 1] = binary(op, in, s[n - 1], s[n]);
            }
        }
        return n;
    }

    private static long binary(int op, Cursor in, long a, long b) throws BadFormat {
        return switch (op) {
            case AND -> a & b;
            case DIV -> a / nonZero(in, b);
            case MINUS -> a - b;
            case MOD -> Long.remainderUnsigned(a, nonZero(in, b));
            case MUL -> a * b;
            case OR -> a | b;
            case PLUS -> a + b;
            case SHL -> b >= 0 && b < 64 ? a << b : 0;
            case SHR -> b >= 0 && b < 64 ? a >>> b : 0;
            case SHRA -> a >> (b >= 0 && b < 64 ? b : 63);
            case XOR -> a ^ b;
            case EQ -> a == b ? 1 : 0;
            case GE -> a >= b ? 1 : 0;
            case GT -> a > b ? 1 : 0;
            case LE -> a <= b ? 1 : 0;
            case LT -> a < b ? 1 : 0;
            case NE -> a != b ? 1 : 0;
            default -> throw in.bad("operation 0x" + Integer.toHexString(op));
        };
    }

    private static long nonZero(Cursor in, long divisor) throws BadFormat {
        if (divisor == 0) {
            throw in.bad("division by zero");
        }
        return divisor;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DwarfExpression e && registers == e.registers && Arrays.equals(code, e.code);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(code);
    }
}
