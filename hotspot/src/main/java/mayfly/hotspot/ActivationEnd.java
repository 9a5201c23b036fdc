package mayfly.hotspot;

import mayfly.process.MemoryFault;
import mayfly.runtime.FrameCursor;

/** Instructions of the interpreter that run when the frame of a method has gone, and lead to its caller. */
sealed interface ActivationEnd permits InterpreterExit, ExceptionExit {

    /** The return address of a thread that stands here; 0 if the registers speak against it. */
    long returnAddress(FrameCursor cursor) throws MemoryFault;

    /** The caller's stack pointer, of a thread that stands here. */
    long callerSp(FrameCursor cursor);
}
