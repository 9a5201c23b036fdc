package mayfly.hotspot.frames.x86;

import mayfly.arch.x86.X86_64;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.frames.GeneratedCode;
import mayfly.hotspot.frames.Site;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;

/**
 * The return address of StubRoutines::call_stub, through which the VM calls Java.
 *
 * <p>The frame, see stubGenerator_x86_64.cpp: return address at rbp + 8, rbp at rbp; saved rbx at rbp − 56, r12 − 64,
 * r13 − 72, r14 − 80, r15 − 88. The walk restores them, because the native frames above depend on them.
 */
final class EntrySite extends Site {
    private static final int KEPT = 1 << X86_64.RIP
            | 1 << X86_64.RSP
            | 1 << X86_64.RBP
            | 1 << X86_64.RBX
            | 1 << X86_64.R12
            | 1 << X86_64.R13
            | 1 << X86_64.R14
            | 1 << X86_64.R15;

    private final GeneratedCode generated;
    private final Frame frame;

    EntrySite(GeneratedCode generated, CodeBlob blob, Frame frame) {
        super(blob, true);
        this.generated = generated;
        this.frame = frame;
    }

    @Override
    public Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault {
        sink.accept(frame);
        Registers registers = cursor.registers();
        long fp = registers.fp();
        long returnAddress = cursor.stackWord(fp + 8);
        if (!cursor.code().mayReturnTo(returnAddress)) {
            return generated.implausible(returnAddress, cursor.time(), blob);
        }
        registers.set(X86_64.RBX, cursor.stackWord(fp - 56));
        registers.set(X86_64.R12, cursor.stackWord(fp - 64));
        registers.set(X86_64.R13, cursor.stackWord(fp - 72));
        registers.set(X86_64.R14, cursor.stackWord(fp - 80));
        registers.set(X86_64.R15, cursor.stackWord(fp - 88));
        registers.set(X86_64.RBP, cursor.stackWord(fp));
        registers.retain(KEPT);
        cursor.moveTo(returnAddress, fp + 16);
        return Step.CALLER;
    }
}
