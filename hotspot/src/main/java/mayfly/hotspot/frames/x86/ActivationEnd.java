package mayfly.hotspot.frames.x86;

import mayfly.arch.x86.X86Instruction;
import mayfly.process.MemoryFault;
import mayfly.runtime.FrameCursor;

/** Instructions of the interpreter that run after it has removed the frame of a method, and return to its caller. */
sealed interface ActivationEnd permits InterpreterExit, ExceptionExit {
    /** The number of rbx in an instruction's encoding. */
    int RBX = 3;

    /**
     * Returns the return address of a thread at this location, or 0 if the registers are inconsistent with it.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    long returnAddress(FrameCursor cursor) throws MemoryFault;

    /** Returns the caller's stack pointer of a thread at this location. */
    long callerSp(FrameCursor cursor);

    /** Returns true for {@code mov rsp, rbx}, in either encoding: rbx contains the caller's stack pointer. */
    static boolean isMoveToRsp(X86Instruction i) {
        int rsp = X86Instruction.RSP;
        return i.isToRegister()
                && (i.opcode() == 0x8b && i.register() == rsp && i.operandRegister() == RBX
                        || i.opcode() == 0x89 && i.operandRegister() == rsp && i.register() == RBX);
    }
}
