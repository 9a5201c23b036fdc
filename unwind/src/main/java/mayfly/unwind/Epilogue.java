package mayfly.unwind;

/**
 * Reads the instructions from a program counter straight on to where the function is left, by return or by a jump.
 *
 * <p>At that point every callee-saved register holds the caller's value. One that is not written on the way there
 * holds it already, whatever the call-frame information says of its slot: compilers do not describe the registers
 * that an epilogue has popped. Instructions: Intel SDM volume 2. What is not recognised proves nothing.
 */
final class Epilogue {
    /** Code bytes that are looked at. */
    static final int WINDOW = 64;
    private static final int MOST_INSTRUCTIONS = 24;
    private static final int RSP = 4;
    /** DWARF register numbers in the order of the instruction encoding. */
    private static final int[] DWARF = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

    private final byte[] code;
    private final int limit;
    private final long functionStart;
    private final long functionEnd;
    private final long pc;
    private int at;
    private int written;
    private long stackDelta;
    private boolean leaves;
    private boolean failed;

    /**
     * @param code bytes from the program counter on
     * @param limit how many of them there are
     * @param pc the program counter
     * @param functionStart first address of the function it is in, in the same numbering
     * @param functionEnd first address after it
     */
    Epilogue(byte[] code, int limit, long pc, long functionStart, long functionEnd) {
        this.code = code;
        this.limit = limit;
        this.pc = pc;
        this.functionStart = functionStart;
        this.functionEnd = functionEnd;
        for (int i = 0; i < MOST_INSTRUCTIONS && !leaves && !failed; i++) {
            instruction();
        }
        leaves &= !failed;
    }

    /** Whether the function is left with no branch in between. */
    boolean leaves() {
        return leaves;
    }

    /** Whether the register, in DWARF numbering, keeps its present value until then. */
    boolean keeps(int register) {
        return leaves && (written >> register & 1) == 0;
    }

    /** The return address is this far above the stack pointer. */
    long returnAddressOffset() {
        return stackDelta;
    }

    private int next() {
        if (at >= limit) {
            failed = true;
            return 0;
        }
        return code[at++] & 0xff;
    }

    private long immediate(int size) {
        long v = 0;
        for (int i = 0; i < size; i++) {
            v |= (long) next() << 8 * i;
        }
        return size == 1 ? (byte) v : size == 4 ? (int) v : v;
    }

    private void writes(int encoded) {
        if (encoded == RSP) {
            failed = true;
        } else {
            written |= 1 << DWARF[encoded];
        }
    }

    private void instruction() {
        int op = next();
        boolean wide16 = false;
        while (op == 0x66 || op == 0xf2 || op == 0xf3) {
            wide16 |= op == 0x66;
            op = next();
        }
        int rex = 0;
        if (op >= 0x40 && op <= 0x4f) {
            rex = op;
            op = next();
        }
        int b = (rex & 1) << 3;
        if (op >= 0x58 && op <= 0x5f) {
            writes(op - 0x58 + b);
            stackDelta += 8;
        } else if (op >= 0xb8 && op <= 0xbf) {
            writes(op - 0xb8 + b);
            immediate((rex & 8) != 0 ? 8 : wide16 ? 2 : 4);
        } else {
            switch (op) {
                case 0xc3, 0xc2 -> leaves = true;
                case 0xe9, 0xeb -> jump(immediate(op == 0xeb ? 1 : 4));
                case 0x90 -> { }
                case 0xc5 -> vex2();
                case 0x0f -> twoByte(rex);
                case 0xff -> {
                    int modrm = next();
                    leaves = (modrm >> 3 & 7) == 4;
                    failed |= !leaves;
                    operand(modrm);
                }
                case 0x8d -> lea(rex);
                case 0x81, 0x83 -> group1(op, rex);
                // To a register: MOV, ADD, OR, AND, SUB, XOR, and MOVSXD.
                case 0x8b, 0x03, 0x0b, 0x23, 0x2b, 0x33, 0x63 -> writes(register(rex, operand(next())));
                // To a register or memory.
                case 0x89, 0x01, 0x09, 0x21, 0x29, 0x31 -> toOperand(rex);
                case 0x88, 0x38, 0x39, 0x3a, 0x3b, 0x84, 0x85 -> {
                    int modrm = operand(next());
                    if (op == 0x88 && modrm >> 6 == 3) {
                        failed = true;
                    }
                }
                case 0xc7 -> {
                    int modrm = operand(next());
                    immediate(wide16 ? 2 : 4);
                    if (modrm >> 6 == 3) {
                        writes((modrm & 7) + b);
                    }
                }
                default -> failed = true;
            }
        }
    }

    private void jump(long by) {
        long target = pc + at + by;
        leaves = target < functionStart || target >= functionEnd;
        failed |= !leaves;
    }

    private static int register(int rex, int modrm) {
        return (modrm >> 3 & 7) + ((rex & 4) << 1);
    }

    /** Skips the SIB byte and displacement that a ModRM byte asks for, and returns the ModRM byte. */
    private int operand(int modrm) {
        int mod = modrm >> 6;
        if (mod == 3) {
            return modrm;
        }
        int base = modrm & 7;
        if (base == 4) {
            base = next() & 7;
        }
        if (mod == 1) {
            next();
        } else if (mod == 2 || base == 5) {
            immediate(4);
        }
        return modrm;
    }

    private void toOperand(int rex) {
        int modrm = operand(next());
        if (modrm >> 6 == 3) {
            writes((modrm & 7) + ((rex & 1) << 3));
        }
    }

    /** LEA; of the stack pointer only in the form that adds a constant to it. */
    private void lea(int rex) {
        int modrm = next();
        if (register(rex, modrm) != RSP) {
            writes(register(rex, operand(modrm)));
        } else if ((modrm == 0x64 || modrm == 0xa4) && next() == 0x24) {
            stackDelta += immediate(modrm == 0x64 ? 1 : 4);
        } else {
            failed = true;
        }
    }

    /** ADD, SUB and the like with a constant. */
    private void group1(int op, int rex) {
        int modrm = operand(next());
        long constant = immediate(op == 0x83 ? 1 : 4);
        int operation = modrm >> 3 & 7;
        int to = (modrm & 7) + ((rex & 1) << 3);
        if (modrm >> 6 != 3 || operation == 7) {
            return;
        }
        if (to != RSP) {
            writes(to);
        } else if ((operation == 0 || operation == 5) && (rex & 8) != 0) {
            stackDelta += operation == 0 ? constant : -constant;
        } else {
            failed = true;
        }
    }

    private void vex2() {
        next();
        // VZEROUPPER and VZEROALL.
        failed |= next() != 0x77;
    }

    private void twoByte(int rex) {
        int op = next();
        switch (op) {
            // Moves between vector registers and memory, XORPS, PXOR: no general register changes.
            case 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x1f, 0x28, 0x29, 0x2e, 0x2f, 0x51, 0x54, 0x57, 0x58, 0x59,
                 0x5a, 0x5c, 0x5e, 0x6e, 0x6f, 0x7f, 0xd6, 0xef -> operand(next());
            // CMOVcc, MOVZX, MOVSX, IMUL.
            case 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f,
                 0xaf, 0xb6, 0xb7, 0xbe, 0xbf -> writes(register(rex, operand(next())));
            // SETcc.
            case 0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f -> {
                int modrm = operand(next());
                if (modrm >> 6 == 3) {
                    writes((modrm & 7) + ((rex & 1) << 3));
                }
            }
            default -> failed = true;
        }
    }
}
