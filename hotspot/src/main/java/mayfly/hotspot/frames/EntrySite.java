package mayfly.hotspot.frames;

import mayfly.hotspot.code.CodeBlob;
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
    private static final int KEPT = 1 << Registers.RIP | 1 << Registers.RSP | 1 << Registers.RBP
            | 1 << Registers.RBX | 1 << Registers.R12 | 1 << Registers.R13 | 1 << Registers.R14 | 1 << Registers.R15;

    private final GeneratedCode generated;
    private final Frame frame;

    EntrySite(GeneratedCode generated, CodeBlob blob, Frame frame) {
        super(blob, true);
        this.generated = generated;
        this.frame = frame;
    }

    @Override
    Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault {
        sink.accept(frame);
        Registers registers = cursor.registers();
        long fp = registers.fp();
        long returnAddress = cursor.stackWord(fp + 8);
        if (!cursor.code().mayReturnTo(returnAddress)) {
            return generated.implausible(returnAddress, cursor.time(), blob);
        }
        registers.set(Registers.RBX, cursor.stackWord(fp - 56));
        registers.set(Registers.R12, cursor.stackWord(fp - 64));
        registers.set(Registers.R13, cursor.stackWord(fp - 72));
        registers.set(Registers.R14, cursor.stackWord(fp - 80));
        registers.set(Registers.R15, cursor.stackWord(fp - 88));
        registers.set(Registers.RBP, cursor.stackWord(fp));
        registers.retain(KEPT);
        cursor.moveTo(returnAddress, fp + 16);
        return Step.CALLER;
    }
}
