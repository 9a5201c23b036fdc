package mayfly.hotspot.frames.x86;

import mayfly.arch.x86.StackDepth;
import mayfly.arch.x86.X86Instruction;
import mayfly.hotspot.code.Nmethod;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import org.jspecify.annotations.Nullable;

/**
 * A straight exit from a native method's wrapper or a stub: from a program counter on, the instructions move words
 * between registers and memory, raise the stack pointer by constants, pop, and return.
 *
 * <p>Continuation.doYield returns through the frame of enterSpecial: it sets the stack pointer to the continuation's
 * entry, so the frame above the stack pointer is then not its own. See continuation_enter_cleanup in HotSpot's
 * sharedRuntime_x86_64.cpp.
 */
final class StraightExit {
    private static final int MAX_INSTRUCTIONS = 16;
    private static final int WORD = 8;
    private static final int RBP = 5;
    private static final int RET = 0xc3;

    private StraightExit() {}

    /**
     * Returns the distance of the stack pointer below the wrapper's frame, assuming that the frame ends with this
     * return address.
     *
     * @return null unless the exit is straight, restores rbp right before it returns, and begins below the wrapper's
     *         own frame
     */
    static @Nullable StackDepth at(long pc, Nmethod wrapper, Memory memory) {
        int returnAt = returnAt(pc, wrapper.codeEnd, memory);
        int below = returnAt + WORD - WORD * wrapper.frameSize;
        return returnAt < 0 || below <= 0 ? null : new StackDepth(below, -1, -1, 0, 0);
    }

    /**
     * Returns the distance of the return address above the stack pointer, or -1 if the exit is not straight, or does
     * not restore rbp right before the return.
     */
    static int returnAt(long pc, long end, Memory memory) {
        byte[] code = new byte[Math.clamp(end - pc, 0, MAX_INSTRUCTIONS * X86Instruction.MAX_LENGTH)];
        try {
            memory.read(pc, code, 0, code.length);
        } catch (MemoryFault e) {
            return -1;
        }
        return returnAt(code);
    }

    /** Returns the distance of the return address above the stack pointer for code at the program counter, or -1. */
    static int returnAt(byte[] code) {
        X86Instruction i = new X86Instruction();
        int raised = 0;
        boolean restored = code.length > 0 && (code[0] & 0xff) == RET;
        int at = 0;
        for (int n = 0; n < MAX_INSTRUCTIONS && i.decode(code, at, code.length) && !i.isVector(); n++) {
            at += i.length();
            switch (i.opcode()) {
                case RET -> {
                    return restored ? raised : -1;
                }
                case 0x58, 0x59, 0x5a, 0x5b, 0x5d, 0x5e, 0x5f -> {
                    restored = i.opcodeRegister() == RBP;
                    raised += WORD;
                }
                case 0x89 -> {
                    if (i.isToRegister()) {
                        return -1;
                    }
                }
                case 0x8b -> {
                    if (i.register() == X86Instruction.RSP || i.register() == RBP) {
                        return -1;
                    }
                }
                case 0x83, 0x81 -> {
                    if (!i.isToRegister() || i.operandRegister() != X86Instruction.RSP || i.extension() != 0) {
                        return -1;
                    }
                    raised += (int) i.immediate();
                }
                default -> {
                    return -1;
                }
            }
        }
        return -1;
    }
}
