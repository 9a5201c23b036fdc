package mayfly.host.probe;

/** The instructions of bytecode: their lengths, and their operands that are indices of constants. JVMS 6.5. */
final class Instructions {
    private static final int LDC = 0x12;
    private static final int TABLESWITCH = 0xaa;
    private static final int LOOKUPSWITCH = 0xab;
    private static final int WIDE = 0xc4;
    private static final int IINC = 0x84;

    /** Of an instruction whose length is not fixed. */
    private static final int VARIABLE = 0;

    private static final int LOADABLE = 1 << ConstantPool.INTEGER
            | 1 << ConstantPool.FLOAT
            | 1 << ConstantPool.CLASS
            | 1 << ConstantPool.STRING
            | 1 << ConstantPool.METHOD_HANDLE
            | 1 << ConstantPool.METHOD_TYPE
            | 1 << ConstantPool.DYNAMIC;
    private static final int LOADABLE_2 = 1 << ConstantPool.LONG | 1 << ConstantPool.DOUBLE | 1 << ConstantPool.DYNAMIC;
    private static final int FIELD = 1 << ConstantPool.FIELD;
    private static final int METHOD = 1 << ConstantPool.METHOD;
    private static final int ANY_METHOD = METHOD | 1 << ConstantPool.INTERFACE_METHOD;
    private static final int CLASS = 1 << ConstantPool.CLASS;

    /** First opcode, last opcode, length in bytes, and the tags of the constant that the operand refers to. */
    private static final int[][] ROWS = {
        {0x00, 0x0f, 1, 0}, // nop to dconst_1
        {0x10, 0x10, 2, 0}, // bipush
        {0x11, 0x11, 3, 0}, // sipush
        {LDC, LDC, 2, LOADABLE},
        {0x13, 0x13, 3, LOADABLE}, // ldc_w
        {0x14, 0x14, 3, LOADABLE_2}, // ldc2_w
        {0x15, 0x19, 2, 0}, // iload to aload
        {0x1a, 0x35, 1, 0}, // iload_0 to saload
        {0x36, 0x3a, 2, 0}, // istore to astore
        {0x3b, 0x83, 1, 0}, // istore_0 to lxor
        {IINC, IINC, 3, 0},
        {0x85, 0x98, 1, 0}, // i2l to dcmpg
        {0x99, 0xa8, 3, 0}, // ifeq to jsr
        {0xa9, 0xa9, 2, 0}, // ret
        {TABLESWITCH, LOOKUPSWITCH, VARIABLE, 0},
        {0xac, 0xb1, 1, 0}, // ireturn to return
        {0xb2, 0xb5, 3, FIELD}, // getstatic to putfield
        {0xb6, 0xb6, 3, METHOD}, // invokevirtual
        {0xb7, 0xb8, 3, ANY_METHOD}, // invokespecial, invokestatic
        {0xb9, 0xb9, 5, 1 << ConstantPool.INTERFACE_METHOD}, // invokeinterface
        {0xba, 0xba, 5, 1 << ConstantPool.INVOKE_DYNAMIC}, // invokedynamic
        {0xbb, 0xbb, 3, CLASS}, // new
        {0xbc, 0xbc, 2, 0}, // newarray
        {0xbd, 0xbd, 3, CLASS}, // anewarray
        {0xbe, 0xbf, 1, 0}, // arraylength, athrow
        {0xc0, 0xc1, 3, CLASS}, // checkcast, instanceof
        {0xc2, 0xc3, 1, 0}, // monitorenter, monitorexit
        {WIDE, WIDE, VARIABLE, 0},
        {0xc5, 0xc5, 4, CLASS}, // multianewarray
        {0xc6, 0xc7, 3, 0}, // ifnull, ifnonnull
        {0xc8, 0xc9, 5, 0}, // goto_w, jsr_w
    };

    private static final int[][] BY_OPCODE = byOpcode();

    private Instructions() {}

    private static int[][] byOpcode() {
        int[][] rows = new int[0x100][];
        for (int[] row : ROWS) {
            for (int opcode = row[0]; opcode <= row[1]; opcode++) {
                rows[opcode] = row;
            }
        }
        return rows;
    }

    /**
     * Returns the length of the instruction at an offset.
     *
     * @throws MalformedCode if there is no such instruction, or it ends after the code
     */
    static int length(byte[] code, int at) throws MalformedCode {
        int[] row = BY_OPCODE[code[at] & 0xff];
        if (row == null) {
            throw new MalformedCode("no opcode " + (code[at] & 0xff));
        }
        long length = row[2] == VARIABLE ? variableLength(code, at) : row[2];
        if (length > code.length - at) {
            throw new MalformedCode("the instruction at " + at + " ends after the code");
        }
        return (int) length;
    }

    private static long variableLength(byte[] code, int at) throws MalformedCode {
        if ((code[at] & 0xff) == WIDE) {
            return at + 1 < code.length && (code[at + 1] & 0xff) == IINC ? 6 : 4;
        }
        int operands = (at & ~3) + 4; // aligned to 4 bytes
        if ((code[at] & 0xff) == LOOKUPSWITCH) {
            return operands - at + 8 + 8 * cases(signed4(code, operands + 4));
        }
        long low = signed4(code, operands + 4);
        return operands - at + 12 + 4 * cases(signed4(code, operands + 8) - low + 1);
    }

    private static long cases(long count) throws MalformedCode {
        if (count < 0) {
            throw new MalformedCode("a switch of " + count + " cases");
        }
        return count;
    }

    private static int signed4(byte[] code, int at) throws MalformedCode {
        if (at > code.length - 4) {
            throw new MalformedCode("a switch ends after the code");
        }
        return ConstantPool.unsigned2(code, at) << 16 | ConstantPool.unsigned2(code, at + 2);
    }

    /** Returns the tags of the constants that the operand of an instruction can refer to; 0 if it refers to none. */
    static int constantTags(byte[] code, int at) {
        return BY_OPCODE[code[at] & 0xff][3];
    }

    /** Returns the index in the operand of an instruction that refers to a constant. */
    static int constantIndex(byte[] code, int at) {
        return (code[at] & 0xff) == LDC ? code[at + 1] & 0xff : ConstantPool.unsigned2(code, at + 1);
    }

    /** Returns the number of bytes before the operands that are not the index of a constant. */
    static int lengthWithConstant(byte[] code, int at) {
        return (code[at] & 0xff) == LDC ? 2 : 3;
    }
}
