package mayfly.hotspot.frames.x86;

import mayfly.arch.x86.X86Instruction;
import mayfly.arch.x86.X86_64;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.runtime.FrameCursor;
import org.jspecify.annotations.Nullable;

/**
 * The last instructions of an interpreted method, after its frame was removed: the caller's stack pointer is in rbx,
 * and the caller's rbp has been restored. See InterpreterMacroAssembler::remove_activation:
 * {@code leave; pop reg; mov rsp, rbx; jmp reg}; newer JDKs have a few instructions before the jump.
 *
 * @param pops true if the return address is still on the stack
 * @param moves true if the stack pointer has not been set yet
 * @param jumpsTo the register for the return address, in DWARF's numbering
 */
record InterpreterExit(boolean pops, boolean moves, int jumpsTo) implements ActivationEnd {
    private static final int WINDOW = 40;
    private static final int MAX_INSTRUCTIONS = 8;

    /** Returns null if the instructions from the program counter on are not such an exit, or cannot be read. */
    static @Nullable InterpreterExit at(long pc, Memory memory) {
        byte[] code = new byte[WINDOW];
        try {
            memory.read(pc, code, 0, code.length);
        } catch (MemoryFault e) {
            return null;
        }
        X86Instruction instruction = new X86Instruction();
        int popped = -1;
        boolean moves = false;
        int at = 0;
        for (int i = 0; i < MAX_INSTRUCTIONS && instruction.decode(code, at, code.length); i++) {
            at += instruction.length();
            int opcode = instruction.opcode();
            if (popped < 0 && !moves && opcode >= 0x58 && opcode <= 0x5f) {
                popped = instruction.opcodeRegister();
            } else if (ActivationEnd.isMoveToRsp(instruction)) {
                moves = true;
            } else if (opcode == 0xff
                    && instruction.extension() == 4
                    && instruction.isToRegister()
                    && instruction.operandRegister() < X86Instruction.LEGACY_REGISTERS) {
                int target = instruction.operandRegister();
                return popped < 0 || moves && popped == target
                        ? new InterpreterExit(popped >= 0, moves, X86Instruction.dwarf(target))
                        : null;
            } else if (!isBetween(instruction)) {
                return null;
            }
        }
        return null;
    }

    @Override
    public long returnAddress(FrameCursor cursor) throws MemoryFault {
        Registers registers = cursor.registers();
        long room = registers.get(X86_64.RBX) - registers.sp();
        if (moves ? room < 0 : room != 0) {
            return 0;
        }
        return pops ? cursor.stackWord(registers.sp()) : registers.get(jumpsTo);
    }

    @Override
    public long callerSp(FrameCursor cursor) {
        return cursor.registers().get(X86_64.RBX);
    }

    /**
     * Returns true for {@code mov [r15 + n], 0} and {@code cmp rsp, [r15 + n]; jb}: flags of the thread, and its
     * reserved stack.
     */
    private static boolean isBetween(X86Instruction i) {
        return !i.isVector()
                && !i.isToRegister()
                && (i.opcode() == 0xc6 || i.opcode() == 0xc7 || i.opcode() == 0x3b || i.opcode() == 0x72);
    }
}
