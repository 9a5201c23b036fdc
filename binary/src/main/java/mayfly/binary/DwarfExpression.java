package mayfly.binary;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A DWARF expression as call-frame information uses them, DWARF 5 sections 2.5 and 6.4.2.3. */
public final class DwarfExpression {
    private static final int MAX_STACK = 64;
    private static final int MAX_STEPS = 1000;

    /** What an expression may ask about the frame. */
    public interface Frame {
        /** The register's value in this frame. */
        long register(int number) throws Unavailable;

        /** The little-endian number of 1, 2, 4 or 8 bytes at an address. */
        long memory(long address, int size) throws Unavailable;
    }

    /** A register whose value is not known, or memory that cannot be read. */
    public static final class Unavailable extends Exception {
        private static final long serialVersionUID = 1L;
        public static final Unavailable REGISTER = new Unavailable("register not known");
        public static final Unavailable MEMORY = new Unavailable("memory not readable");

        private Unavailable(String message) {
            super(message, null, false, false);
        }
    }

    private final byte[] code;

    DwarfExpression(byte[] code) {
        this.code = code;
    }

    /** Its value, given what is on the stack at the start. */
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

    /** How many entries of the stack an operation looks at. */
    private static int operands(int op) {
        return switch (op) {
            case 0x06, 0x12, 0x13, 0x19, 0x1f, 0x20, 0x23, 0x28, 0x94 -> 1;
            case 0x14, 0x16, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x21, 0x22, 0x24, 0x25, 0x26, 0x27,
                 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e -> 2;
            case 0x17 -> 3;
            default -> 0;
        };
    }

    private static int step(int op, Cursor in, long[] s, int depth, Frame frame) throws BadFormat, Unavailable {
        int n = depth;
        if (op >= 0x30 && op <= 0x4f) {
            s[n++] = op - 0x30;
            return n;
        }
        if (op >= 0x70 && op < 0x70 + UnwindRow.REGISTERS) {
            s[n++] = frame.register(op - 0x70) + in.sleb();
            return n;
        }
        switch (op) {
            case 0x03, 0x0e, 0x0f -> s[n++] = in.u64();
            case 0x06 -> s[n - 1] = frame.memory(s[n - 1], 8);
            case 0x08 -> s[n++] = in.u8();
            case 0x09 -> s[n++] = (byte) in.u8();
            case 0x0a -> s[n++] = in.u16();
            case 0x0b -> s[n++] = (short) in.u16();
            case 0x0c -> s[n++] = in.u32();
            case 0x0d -> s[n++] = in.s32();
            case 0x10 -> s[n++] = in.uleb();
            case 0x11 -> s[n++] = in.sleb();
            case 0x12 -> {
                s[n] = s[n - 1];
                n++;
            }
            case 0x13 -> n--;
            case 0x14 -> {
                s[n] = s[n - 2];
                n++;
            }
            case 0x15 -> {
                int index = in.u8();
                if (index >= n) {
                    throw in.bad("picks entry " + index + " of " + n);
                }
                s[n] = s[n - 1 - index];
                n++;
            }
            case 0x16 -> {
                long top = s[n - 1];
                s[n - 1] = s[n - 2];
                s[n - 2] = top;
            }
            case 0x17 -> {
                long top = s[n - 1];
                s[n - 1] = s[n - 2];
                s[n - 2] = s[n - 3];
                s[n - 3] = top;
            }
            case 0x19 -> s[n - 1] = Math.abs(s[n - 1]);
            case 0x1f -> s[n - 1] = -s[n - 1];
            case 0x20 -> s[n - 1] = ~s[n - 1];
            case 0x23 -> s[n - 1] += in.uleb();
            case 0x28 -> {
                int by = (short) in.u16();
                if (s[--n] != 0) {
                    in.seek(in.position() + by);
                }
            }
            case 0x2f -> {
                int by = (short) in.u16();
                in.seek(in.position() + by);
            }
            case 0x92 -> {
                long register = in.uleb();
                long offset = in.sleb();
                if (register < 0 || register >= UnwindRow.REGISTERS) {
                    throw in.bad("register " + register);
                }
                s[n++] = frame.register((int) register) + offset;
            }
            case 0x94 -> {
                int size = in.u8();
                if (size != 1 && size != 2 && size != 4 && size != 8) {
                    throw in.bad("reads " + size + " bytes");
                }
                s[n - 1] = frame.memory(s[n - 1], size);
            }
            case 0x96 -> { }
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
            case 0x1a -> a & b;
            case 0x1b -> a / nonZero(in, b);
            case 0x1c -> a - b;
            case 0x1d -> Long.remainderUnsigned(a, nonZero(in, b));
            case 0x1e -> a * b;
            case 0x21 -> a | b;
            case 0x22 -> a + b;
            case 0x24 -> b >= 0 && b < 64 ? a << b : 0;
            case 0x25 -> b >= 0 && b < 64 ? a >>> b : 0;
            case 0x26 -> a >> (b >= 0 && b < 64 ? b : 63);
            case 0x27 -> a ^ b;
            case 0x29 -> a == b ? 1 : 0;
            case 0x2a -> a >= b ? 1 : 0;
            case 0x2b -> a > b ? 1 : 0;
            case 0x2c -> a <= b ? 1 : 0;
            case 0x2d -> a < b ? 1 : 0;
            case 0x2e -> a != b ? 1 : 0;
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
        return other instanceof DwarfExpression e && Arrays.equals(code, e.code);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(code);
    }
}
