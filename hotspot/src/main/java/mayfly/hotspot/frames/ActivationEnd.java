package mayfly.hotspot.frames;

import mayfly.arch.x86.X86Instruction;
import mayfly.process.MemoryFault;
import mayfly.runtime.FrameCursor;

/** Instructions of the interpreter that run after it has removed the frame of a method, and lead to its caller. */
sealed interface ActivationEnd permits InterpreterExit, ExceptionExit {
    /** The number of rbx in an instruction. */
    int RBX = 3;

    /** The return address of a thread that stands here; 0 if the registers speak against it. */
    long returnAddress(FrameCursor cursor) throws MemoryFault;

    /** The caller's stack pointer, of a thread that stands here. */
    long callerSp(FrameCursor cursor);

    /** Returns true for {@code mov rsp, rbx}, in either encoding: rbx has the caller's stack pointer. */
    static boolean isMoveToRsp(X86Instruction i) {
        int rsp = X86Instruction.RSP;
        return i.isToRegister() && (i.opcode() == 0x8b && i.register() == rsp && i.operandRegister() == RBX
                || i.opcode() == 0x89 && i.operandRegister() == rsp && i.register() == RBX);
    }
}
