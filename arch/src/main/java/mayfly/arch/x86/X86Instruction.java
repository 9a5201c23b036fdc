package mayfly.arch.x86;

import mayfly.arch.Instruction;

/**
 * One x86-64 instruction: its length, its opcode, its effect on the flow of control, and those operands that are needed
 * for its effect on the stack pointer. See Intel SDM volume 2, chapter 2, and the opcode maps of appendix A. Reusable.
 *
 * <p>Unknown instructions, such as EVEX instructions of map 4, are not decoded.
 */
public final class X86Instruction implements Instruction {
    /** The number of rsp in an instruction's encoding. */
    public static final int RSP = 4;
    /**
     * The number of the first register that needs a REX2 or an EVEX prefix. The call-frame information of current
     * compilers does not contain this register or a higher one.
     */
    public static final int LEGACY_REGISTERS = 16;
    /** Upper bound on the length of an instruction, in bytes. */
    public static final int MAX_LENGTH = 15;

    private static final int TWO_BYTE = 0x0f00;
    private static final int MAP_38 = 0x3800;
    private static final int MAP_3A = 0x3a00;

    /** DWARF register numbers, indexed by the register numbers in instructions. */
    private static final int[] DWARF = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

    private byte[] code = {};
    private int limit;
    private int at;
    private boolean failed;
    private int length;
    private int opcode;
    private boolean vector;
    private int rex;
    /** Bits R4, X4 and B4 of a REX2 prefix, which select registers 16 to 31: Intel APX specification, 3.1.1. */
    private int rex2;

    private boolean operand16;
    private int modrm;
    private int sib;
    private long displacement;
    private long immediate;

    @Override
    public boolean decode(byte[] bytes, int from, int end) {
        code = bytes;
        limit = Math.min(end, from + MAX_LENGTH);
        at = from;
        failed = false;
        vector = false;
        rex = 0;
        rex2 = 0;
        operand16 = false;
        modrm = -1;
        sib = -1;
        displacement = 0;
        immediate = 0;
        prefixesAndOpcode();
        if (!failed && hasModRm()) {
            operands();
        }
        immediate = immediate(immediateSize());
        length = at - from;
        return !failed;
    }

    /** Returns the DWARF number of a register from its number in instructions, below {@link #LEGACY_REGISTERS}. */
    public static int dwarf(int register) {
        return DWARF[register];
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public boolean isCall() {
        return !vector && (opcode == 0xe8 || opcode == 0xff && extension() == 2);
    }

    @Override
    public boolean isJump() {
        return !vector && (opcode == 0xe9 || opcode == 0xeb);
    }

    @Override
    public boolean isConditional() {
        return !vector && (opcode >= 0x70 && opcode <= 0x7f || opcode >= 0x0f80 && opcode <= 0x0f8f);
    }

    /** Returns true for JMP, RET, UD2 and HLT. */
    @Override
    public boolean ends() {
        return !vector
                && switch (opcode) {
                    case 0xe9, 0xeb, 0xc3, 0xc2, 0x0f0b, 0xf4 -> true;
                    case 0xff -> extension() == 4;
                    default -> false;
                };
    }

    @Override
    public long jumpDistance() {
        return immediate;
    }

    /** Returns its opcode; 0x0fXX, 0x38XX and 0x3aXX are those of the maps 0F, 0F 38 and 0F 3A. */
    public int opcode() {
        return opcode;
    }

    /** Returns true if it has a VEX or EVEX prefix: its opcode is then from another table. */
    public boolean isVector() {
        return vector;
    }

    /** Returns true if REX.W is set, which means that its operands have 64 bits. */
    public boolean isWide() {
        return (rex & 8) != 0;
    }

    /** Returns ModRM.reg without REX.R, which distinguishes the instructions of a group. */
    public int extension() {
        return modrm >> 3 & 7;
    }

    /** Returns the register in ModRM.reg. */
    public int register() {
        return extension() | (rex & 4) << 1 | (rex2 & 4) << 2;
    }

    /** Returns true if ModRM names a register and not memory. */
    public boolean isToRegister() {
        return modrm >= 0 && modrm >> 6 == 3;
    }

    /** Returns the register in ModRM.rm; valid only if {@link #isToRegister()} is true. */
    public int operandRegister() {
        return modrm & 7 | high();
    }

    /** Returns the register in the opcode of PUSH, POP, MOV or XCHG. */
    public int opcodeRegister() {
        return opcode & 7 | high();
    }

    private int high() {
        return (rex & 1) << 3 | (rex2 & 1) << 4;
    }

    /** Returns true if its memory operand is at rsp + {@link #displacement()}. */
    public boolean isAtRsp() {
        return !isToRegister() && sib == 0x24 && ((rex | rex2) & 3) == 0;
    }

    /**
     * Returns the base register of its memory operand, whose address is base + {@link #displacement()}; -1 if it has no
     * such operand, or the address has other parts.
     */
    public int base() {
        if (modrm < 0 || isToRegister()) {
            return -1;
        }
        int mod = modrm >> 6;
        boolean bySib = (modrm & 7) == 4;
        int low = bySib ? sib & 7 : modrm & 7;
        boolean indexed = bySib && ((sib >> 3 & 7) != 4 || ((rex | rex2) & 2) != 0);
        return indexed || mod == 0 && low == 5 ? -1 : low | high();
    }

    /** Returns the displacement of its memory operand, sign-extended, or 0 if it has none. */
    public long displacement() {
        return displacement;
    }

    /** Returns its immediate operand or branch displacement, sign-extended, or 0 if it has none. */
    public long immediate() {
        return immediate;
    }

    private int next() {
        if (at >= limit) {
            failed = true;
            return 0;
        }
        return code[at++] & 0xff;
    }

    private void prefixesAndOpcode() {
        int b = next();
        while (b == 0x66 || b == 0xf2 || b == 0xf3 || b == 0xf0 || b == 0x64 || b == 0x65 || b == 0x2e || b == 0x36
                || b == 0x3e || b == 0x26) {
            operand16 |= b == 0x66;
            b = next();
        }
        if (b >= 0x40 && b <= 0x4f) {
            rex = b;
            b = next();
        }
        switch (b) {
            case 0x0f -> {
                int second = next();
                opcode = switch (second) {
                    case 0x38 -> MAP_38 | next();
                    case 0x3a -> MAP_3A | next();
                    default -> TWO_BYTE | second;
                };
            }
            case 0xc5 -> {
                next();
                vectorOpcode(1);
            }
            case 0xc4 -> {
                int map = next() & 0x1f;
                next();
                vectorOpcode(map);
            }
            case 0x62 -> {
                int map = next() & 7;
                next();
                next();
                vectorOpcode(map);
            }
            case 0xd5 -> rex2Opcode(next());
            // A 32-bit address prefix, and opcodes that are invalid in 64-bit mode.
            case 0x67,
                    0x06,
                    0x07,
                    0x0e,
                    0x16,
                    0x17,
                    0x1e,
                    0x1f,
                    0x27,
                    0x2f,
                    0x37,
                    0x3f,
                    0x60,
                    0x61,
                    0x82,
                    0x9a,
                    0xd4,
                    0xd6,
                    0xea -> failed = true;
            default -> opcode = b;
        }
    }

    /**
     * Handles the payload of REX2. Its lower half has the bits of REX; bit 7 selects the map 0F. Opcodes in rows 4, 7,
     * A and E are invalid after it.
     */
    private void rex2Opcode(int payload) {
        boolean twoByte = (payload & 0x80) != 0;
        int b = next();
        int row = b >> 4;
        failed |= rex != 0
                || (twoByte
                        ? row == 3 || row == 8
                        : row == 4
                                || row == 7
                                || row == 0xa
                                || row == 0xe
                                || b == 0x0f
                                || b == 0x62
                                || b == 0x67
                                || b == 0xc4
                                || b == 0xc5
                                || b == 0xd5);
        rex = 0x40 | payload & 0xf;
        rex2 = payload >> 4 & 7;
        opcode = twoByte ? TWO_BYTE | b : b;
    }

    private void vectorOpcode(int map) {
        vector = true;
        int b = next();
        switch (map) {
            case 1 -> opcode = TWO_BYTE | b;
            case 2, 5, 6 -> opcode = MAP_38 | b;
            case 3 -> opcode = MAP_3A | b;
            default -> failed = true;
        }
    }

    private boolean hasModRm() {
        int low = opcode & 0xff;
        return switch (opcode & 0xff00) {
            case MAP_38, MAP_3A -> true;
            case TWO_BYTE ->
                switch (low) {
                    case 0x05, 0x06, 0x07, 0x08, 0x09, 0x0b, 0x0e, 0x77, 0xa0, 0xa1, 0xa2, 0xa8, 0xa9, 0xaa -> false;
                    default -> low < 0x30 || low > 0x37 && low < 0x80 || low > 0x8f && low < 0xc8 || low > 0xcf;
                };
            default ->
                low < 0x40
                        ? (low & 4) == 0
                        : switch (low) {
                            case 0x63, 0x69, 0x6b, 0xc0, 0xc1, 0xc6, 0xc7, 0xf6, 0xf7, 0xfe, 0xff -> true;
                            default ->
                                low >= 0x80 && low <= 0x8f || low >= 0xd0 && low <= 0xd3 || low >= 0xd8 && low <= 0xdf;
                        };
        };
    }

    private void operands() {
        modrm = next();
        int mod = modrm >> 6;
        int base = modrm & 7;
        if (mod == 3) {
            return;
        }
        if (base == 4) {
            sib = next();
            base = sib & 7;
        }
        if (mod == 1) {
            displacement = immediate(1);
        } else {
            displacement = immediate(mod == 2 || base == 5 ? 4 : 0);
        }
    }

    private int immediateSize() {
        int low = opcode & 0xff;
        int z = operand16 ? 2 : 4;
        return switch (opcode & 0xff00) {
            case MAP_38 -> 0;
            case MAP_3A -> 1;
            case TWO_BYTE ->
                switch (low) {
                    case 0x70, 0x71, 0x72, 0x73, 0xa4, 0xac, 0xba, 0xc2, 0xc4, 0xc5, 0xc6 -> 1;
                    default -> low >= 0x80 && low <= 0x8f && !vector ? 4 : 0;
                };
            default ->
                switch (low) {
                    case 0x69, 0x81, 0xc7 -> z;
                    case 0x68, 0xa9 -> z;
                    case 0x6a,
                            0x6b,
                            0x80,
                            0x83,
                            0xa8,
                            0xc0,
                            0xc1,
                            0xc6,
                            0xcd,
                            0xe0,
                            0xe1,
                            0xe2,
                            0xe3,
                            0xe4,
                            0xe5,
                            0xe6,
                            0xe7,
                            0xeb -> 1;
                    case 0xc2, 0xca -> 2;
                    case 0xc8 -> 3;
                    case 0xe8, 0xe9 -> 4;
                    case 0xa0, 0xa1, 0xa2, 0xa3 -> 8;
                    case 0xf6 -> extension() < 2 ? 1 : 0;
                    case 0xf7 -> extension() < 2 ? z : 0;
                    default -> immediateSizeOfGroup(low, z);
                };
        };
    }

    /** Returns the size for an opcode of one byte in a group of similar instructions. */
    private int immediateSizeOfGroup(int low, int z) {
        if (low < 0x40) {
            return switch (low & 7) {
                case 4 -> 1;
                case 5 -> z;
                default -> 0;
            };
        }
        if (low >= 0x70 && low <= 0x7f || low >= 0xb0 && low <= 0xb7) {
            return 1;
        }
        if (low >= 0xb8 && low <= 0xbf) {
            return isWide() ? 8 : z;
        }
        return 0;
    }

    private long immediate(int size) {
        long value = 0;
        for (int i = 0; i < size; i++) {
            value |= (long) next() << 8 * i;
        }
        int unused = 64 - 8 * size;
        return size == 0 ? 0 : value << unused >> unused;
    }
}
