package mayfly.hotspot.frames.x86;

import mayfly.arch.x86.X86Instruction;
import mayfly.arch.x86.X86_64;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.runtime.FrameCursor;
import org.jspecify.annotations.Nullable;

/**
 * The last instructions of an interpreted method that ends with an exception, after its frame was removed. The caller
 * may be compiled; then rbp is not a frame pointer. See TemplateInterpreterGenerator::generate_throw_exception:
 * {@code leave; pop rdx; mov rsp, rbx}, the exception to rax, {@code push rax; push rdx}, a call that finds the
 * caller's handler, {@code mov rbx, rax; pop rdx; pop rax; jmp rbx}.
 *
 * @param address the offset of the return address from the stack pointer, in bytes; {@link #IN_RDX} if it is in that
 *         register
 * @param fromRbx true if the caller's stack pointer is relative to rbx, false if it is relative to the stack pointer
 * @param distance the offset of the caller's stack pointer from that register, in bytes
 */
record ExceptionExit(int address, boolean fromRbx, int distance) implements ActivationEnd {
    static final int IN_RDX = -1;
    private static final int UNKNOWN = -2;
    private static final int WINDOW = 128;
    private static final int MAX_INSTRUCTIONS = 24;
    private static final int RAX = 0;
    private static final int RDX = 2;

    /** Returns null if the instructions from the program counter on are not such an exit, or cannot be read. */
    static @Nullable ExceptionExit at(long pc, Memory memory) {
        byte[] code = new byte[WINDOW];
        try {
            memory.read(pc, code, 0, code.length);
        } catch (MemoryFault e) {
            return null;
        }
        X86Instruction instruction = new X86Instruction();
        int address = UNKNOWN;
        boolean fromRbx = false;
        int depth = 0;
        int at = 0;
        for (int i = 0; i < MAX_INSTRUCTIONS && at >= 0 && instruction.decode(code, at, code.length); i++) {
            at += instruction.length();
            int opcode = instruction.opcode();
            if (instruction.isVector()) {
                return null;
            } else if (opcode >= 0x50 && opcode <= 0x5f) {
                boolean pushes = opcode < 0x58;
                int register = instruction.opcodeRegister();
                if (register != RAX && register != RDX) {
                    return null;
                }
                if (register == RDX && address == UNKNOWN) {
                    address = pushes ? IN_RDX : depth;
                }
                depth += pushes ? -8 : 8;
            } else if (ActivationEnd.isMoveToRsp(instruction)) {
                address = address == UNKNOWN ? IN_RDX : address;
                fromRbx = true;
                depth = 0;
            } else if (opcode == 0x83
                    && instruction.isToRegister()
                    && instruction.operandRegister() == X86Instruction.RSP
                    && (instruction.extension() == 0 || instruction.extension() == 5)) {
                depth += (int) (instruction.extension() == 0 ? instruction.immediate() : -instruction.immediate());
            } else if (opcode == 0xe9 || opcode == 0xeb) {
                at += Math.clamp(instruction.immediate(), -WINDOW, WINDOW);
            } else if (opcode == 0xff
                    && instruction.extension() == 4
                    && instruction.isToRegister()
                    && instruction.operandRegister() == RBX) {
                return new ExceptionExit(address == UNKNOWN ? IN_RDX : address, fromRbx, depth);
            } else if (!isBetween(instruction)) {
                return null;
            }
        }
        return null;
    }

    /** Returns true for {@code mov}, {@code cmp}, {@code test}, forward branches that are not taken, and the call. */
    private static boolean isBetween(X86Instruction i) {
        int rsp = X86Instruction.RSP;
        return switch (i.opcode()) {
            case 0x72, 0x74, 0x0f82, 0x0f84, 0xb8, 0xb9, 0xba, 0xbb, 0xbe, 0xbf, 0xe8 -> true;
            case 0x3b, 0xc6, 0xc7 -> !i.isToRegister();
            case 0x89, 0x8b -> !i.isToRegister() || i.register() != rsp && i.operandRegister() != rsp;
            case 0xf6, 0xf7 -> i.extension() == 0;
            case 0xff -> i.extension() == 2;
            default -> false;
        };
    }

    @Override
    public long returnAddress(FrameCursor cursor) throws MemoryFault {
        Registers registers = cursor.registers();
        if (fromRbx && registers.get(X86_64.RBX) < registers.sp()) {
            return 0;
        }
        return address == IN_RDX ? registers.get(X86_64.RDX) : cursor.stackWord(registers.sp() + address);
    }

    @Override
    public long callerSp(FrameCursor cursor) {
        Registers registers = cursor.registers();
        return (fromRbx ? registers.get(X86_64.RBX) : registers.sp()) + distance;
    }
}
