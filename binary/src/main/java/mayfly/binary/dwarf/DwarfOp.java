package mayfly.binary.dwarf;

/** The operations of DWARF expressions in call-frame information: DW_OP_*, DWARF 5 table 7.9. */
final class DwarfOp {
    static final int ADDR = 0x03;
    static final int DEREF = 0x06;
    static final int CONST1U = 0x08;
    static final int CONST1S = 0x09;
    static final int CONST2U = 0x0a;
    static final int CONST2S = 0x0b;
    static final int CONST4U = 0x0c;
    static final int CONST4S = 0x0d;
    static final int CONST8U = 0x0e;
    static final int CONST8S = 0x0f;
    static final int CONSTU = 0x10;
    static final int CONSTS = 0x11;
    static final int DUP = 0x12;
    static final int DROP = 0x13;
    static final int OVER = 0x14;
    static final int PICK = 0x15;
    static final int SWAP = 0x16;
    static final int ROT = 0x17;
    static final int ABS = 0x19;
    static final int AND = 0x1a;
    static final int DIV = 0x1b;
    static final int MINUS = 0x1c;
    static final int MOD = 0x1d;
    static final int MUL = 0x1e;
    static final int NEG = 0x1f;
    static final int NOT = 0x20;
    static final int OR = 0x21;
    static final int PLUS = 0x22;
    static final int PLUS_UCONST = 0x23;
    static final int SHL = 0x24;
    static final int SHR = 0x25;
    static final int SHRA = 0x26;
    static final int XOR = 0x27;
    static final int BRA = 0x28;
    static final int EQ = 0x29;
    static final int GE = 0x2a;
    static final int GT = 0x2b;
    static final int LE = 0x2c;
    static final int LT = 0x2d;
    static final int NE = 0x2e;
    static final int SKIP = 0x2f;
    static final int LIT0 = 0x30;
    static final int LIT31 = 0x4f;
    static final int BREG0 = 0x70;
    static final int BREG31 = 0x8f;
    static final int BREGX = 0x92;
    static final int DEREF_SIZE = 0x94;
    static final int NOP = 0x96;

    private DwarfOp() {}
}
