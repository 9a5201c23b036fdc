package mayfly.arch.x86;

import mayfly.arch.Architecture;
import mayfly.arch.Epilogue;

/**
 * Decodes the instructions linearly from a program counter to the exit from the function, by return or by a jump.
 *
 * <p>In code without call-frame information, such as the start-up code of libraries ({@code _init}, {@code
 * __do_global_dtors_aux}), decoding continues after calls and conditional branches; the branches are assumed not to be
 * taken. The result does not depend on the path, because a function returns with the stack pointer at the return
 * address on every path. The caller verifies the return address.
 *
 * <p>At the exit every callee-saved register holds the caller's value. A register that is not written before the exit
 * already holds this value, even if the call-frame information gives it a slot on the stack: compilers do not describe
 * the registers that an epilogue has popped. Unknown instructions end the decoding without a result. See Intel SDM
 * volume 2.
 */
final class X86Epilogue implements Epilogue {
    /** Upper bound on the code that is decoded, in bytes. */
    static final int WINDOW = 64;

    private static final int MAX_INSTRUCTIONS = 24;
    /** Registers that a callee may change, in DWARF numbering: rax, rdx, rcx, rsi, rdi, r8 to r11. */
    private static final int CALLER_SAVED = 0b1111_0011_0111;

    private final X86Instruction instruction = new X86Instruction();
    private final long functionStart;
    private final long functionEnd;
    private final boolean readsPastBranches;
    private int written;
    private long stackDelta;
    private boolean leaves;
    private boolean failed;

    /**
     * Decodes the end of a function whose range is known.
     *
     * @param code bytes from the program counter on
     * @param limit the number of valid bytes
     * @param pc the program counter
     * @param functionStart first address of the function that contains it, in the same address space
     * @param functionEnd first address after it
     */
    X86Epilogue(byte[] code, int limit, long pc, long functionStart, long functionEnd) {
        this(code, limit, pc, functionStart, functionEnd, false);
    }

    /** Decodes the rest of a function without call-frame information. An unconditional jump is assumed to leave it. */
    static X86Epilogue ofUndescribed(byte[] code, int limit, long pc) {
        return new X86Epilogue(code, limit, pc, pc, pc + 1, true);
    }

    private X86Epilogue(
            byte[] code, int limit, long pc, long functionStart, long functionEnd, boolean readsPastBranches) {
        this.functionStart = functionStart;
        this.functionEnd = functionEnd;
        this.readsPastBranches = readsPastBranches;
        int at = 0;
        for (int i = 0; i < MAX_INSTRUCTIONS && !leaves && !failed; i++) {
            if (!instruction.decode(code, at, limit)) {
                return;
            }
            at += instruction.length();
            if (instruction.isVector()) {
                vector();
            } else if (instruction.opcode() < 0x100) {
                oneByte(pc + at);
            } else {
                twoByte();
            }
        }
        leaves &= !failed;
    }

    @Override
    public boolean leaves() {
        return leaves;
    }

    @Override
    public boolean keeps(int register) {
        return leaves && (written >> register & 1) == 0;
    }

    @Override
    public boolean returnsByLinkRegister() {
        return false;
    }

    @Override
    public long returnAddressOffset() {
        return stackDelta;
    }

    @Override
    public long callersStackPointerOffset() {
        return stackDelta + Architecture.WORD;
    }

    /** Records a write to a register, identified by its number in instructions. */
    private void writes(int register) {
        if (register == X86Instruction.RSP) {
            failed = true;
        } else if (register < X86Instruction.LEGACY_REGISTERS) {
            written |= 1 << X86Instruction.dwarf(register);
        }
    }

    private void writesOperand() {
        if (instruction.isToRegister()) {
            writes(instruction.operandRegister());
        }
    }

    /** Records a write to a byte register. Without a REX prefix, 4 to 7 are the second bytes of registers 0 to 3. */
    private void writesByte(int register) {
        if (register < X86Instruction.LEGACY_REGISTERS) {
            written |= 1 << X86Instruction.dwarf(register) | 1 << X86Instruction.dwarf(register & 3);
        }
    }

    private void writesByteOperand() {
        if (instruction.isToRegister()) {
            writesByte(instruction.operandRegister());
        }
    }

    private void oneByte(long next) {
        int opcode = instruction.opcode();
        switch (opcode) {
            case 0xc3, 0xc2 -> leaves = true;
            case 0xe9, 0xeb -> jump(next + instruction.immediate());
            case 0xff -> group5();
            case 0xe8 -> call();
            case 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f ->
                failed |= !readsPastBranches;
            case 0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57 -> {
                stackDelta -= 8;
                failed |= !readsPastBranches;
            }
            case 0x58, 0x59, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f -> {
                writes(instruction.opcodeRegister());
                stackDelta += 8;
            }
            case 0x8d -> lea();
            case 0x81, 0x83 -> group1();
            // To a register: ADD, OR, ADC, SBB, AND, SUB, XOR, MOV, MOVSXD, IMUL.
            case 0x03, 0x0b, 0x13, 0x1b, 0x23, 0x2b, 0x33, 0x8b, 0x63, 0x69, 0x6b -> writes(instruction.register());
            case 0x02, 0x0a, 0x12, 0x1a, 0x22, 0x2a, 0x32, 0x8a -> writesByte(instruction.register());
            // The same to a register or memory, and the shifts.
            case 0x01, 0x09, 0x11, 0x19, 0x21, 0x29, 0x31, 0x89, 0xc7, 0xc1, 0xd1, 0xd3 -> writesOperand();
            case 0x00, 0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x88, 0xc6, 0xc0, 0xd0, 0xd2 -> writesByteOperand();
            case 0x80 -> {
                if (instruction.extension() != 7) {
                    writesByteOperand();
                }
            }
            // The same with a constant to rax; CBW, CDQE.
            case 0x04, 0x05, 0x0c, 0x0d, 0x14, 0x15, 0x1c, 0x1d, 0x24, 0x25, 0x2c, 0x2d, 0x34, 0x35, 0x98 -> writes(0);
            // CDQ, CQO.
            case 0x99 -> writes(2);
            case 0xb8, 0xb9, 0xba, 0xbb, 0xbc, 0xbd, 0xbe, 0xbf -> writes(instruction.opcodeRegister());
            case 0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7 -> writesByte(instruction.opcodeRegister());
            case 0xf6, 0xf7 -> group3();
            // CMP, TEST, NOP.
            case 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x84, 0x85, 0xa8, 0xa9, 0x90 -> {}
            default -> failed = true;
        }
    }

    private void call() {
        written |= CALLER_SAVED;
        failed |= !readsPastBranches;
    }

    private void jump(long target) {
        leaves = target < functionStart || target >= functionEnd;
        failed |= !leaves;
    }

    /** Handles LEA; for the stack pointer only the form that adds a constant to it. */
    private void lea() {
        if (instruction.register() != X86Instruction.RSP) {
            writes(instruction.register());
        } else if (instruction.isAtRsp() && instruction.isWide()) {
            stackDelta += instruction.displacement();
        } else {
            failed = true;
        }
    }

    /** Handles ADD, SUB and similar instructions with a constant; CMP. */
    private void group1() {
        int operation = instruction.extension();
        if (!instruction.isToRegister() || operation == 7) {
            return;
        }
        if (instruction.operandRegister() != X86Instruction.RSP) {
            writes(instruction.operandRegister());
        } else if ((operation == 0 || operation == 5) && instruction.isWide()) {
            stackDelta += operation == 0 ? instruction.immediate() : -instruction.immediate();
        } else {
            failed = true;
        }
    }

    /** Handles TEST; NOT and NEG; MUL and DIV. */
    private void group3() {
        int operation = instruction.extension();
        if (operation == 2 || operation == 3) {
            if (instruction.opcode() == 0xf6) {
                writesByteOperand();
            } else {
                writesOperand();
            }
        } else if (operation > 3) {
            writes(0);
            writes(2);
        }
    }

    /** Handles INC and DEC, and an indirect call or jump. PUSH from memory ends the decoding. */
    private void group5() {
        if (instruction.extension() <= 1) {
            writesOperand();
        } else if (instruction.extension() == 2) {
            call();
        } else {
            leaves = instruction.extension() == 4;
            failed |= !leaves;
        }
    }

    private void twoByte() {
        int opcode = instruction.opcode();
        switch (opcode) {
            // MOVMSKPS, CVT(T)SD2SI, PEXTRW, PMOVMSKB; CMOVcc, IMUL, MOVZX, MOVSX, POPCNT, BSF, BSR.
            case 0x0f50,
                    0x0f2c,
                    0x0f2d,
                    0x0fc5,
                    0x0fd7,
                    0x0f40,
                    0x0f41,
                    0x0f42,
                    0x0f43,
                    0x0f44,
                    0x0f45,
                    0x0f46,
                    0x0f47,
                    0x0f48,
                    0x0f49,
                    0x0f4a,
                    0x0f4b,
                    0x0f4c,
                    0x0f4d,
                    0x0f4e,
                    0x0f4f,
                    0x0faf,
                    0x0fb6,
                    0x0fb7,
                    0x0fbe,
                    0x0fbf,
                    0x0fb8,
                    0x0fbc,
                    0x0fbd -> writes(instruction.register());
            // MOVD and MOVQ from a vector register; SHLD and SHRD.
            case 0x0f7e, 0x0fa4, 0x0fa5, 0x0fac, 0x0fad -> writesOperand();
            case 0x0fc8, 0x0fc9, 0x0fca, 0x0fcb, 0x0fcc, 0x0fcd, 0x0fce, 0x0fcf -> writes(instruction.opcodeRegister());
            // BT; with a constant BT, BTS, BTR, BTC.
            case 0x0fa3 -> {}
            case 0x0fba -> {
                if (instruction.extension() != 4) {
                    writesOperand();
                }
            }
            default -> {
                if (opcode >= 0x0f80 && opcode <= 0x0f8f) {
                    failed |= !readsPastBranches;
                } else if (opcode >= 0x0f90 && opcode <= 0x0f9f) {
                    writesByteOperand();
                } else {
                    failed |= !isVectorOnly(opcode & 0xff) || opcode > 0x0fff;
                }
            }
        }
    }

    /** Returns true if an opcode of map 0F accesses only vector registers and memory, or nothing. */
    private static boolean isVectorOnly(int low) {
        return low >= 0x10 && low <= 0x1f
                || low >= 0x28 && low <= 0x2b
                || low == 0x2e
                || low == 0x2f
                || low >= 0x51 && low <= 0x77
                || low == 0x7f
                || low == 0xc2
                || low == 0xc6
                || low >= 0xd1 && low <= 0xd6
                || low >= 0xd8 && low <= 0xfe;
    }

    private void vector() {
        int low = instruction.opcode() & 0xff;
        failed |= switch (instruction.opcode() & 0xff00) {
            case 0x0f00 -> !isVectorOnly(low);
            case 0x3800 -> low >= 0xf0;
            default -> low >= 0x14 && low <= 0x17 || low >= 0xf0;
        };
    }
}
