package mayfly.hotspot.frames;

import mayfly.arch.x86.X86_64;
import mayfly.hotspot.code.CodeBlob;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;

/**
 * Where a virtual thread's frames meet its carrier's: the return barrier, or the return into Continuation.enterSpecial.
 *
 * <p>A ContinuationEntry lies at sp, or above what the return barrier has pushed; above it are the caller's rbp and the
 * return address, see continuationEntry.hpp. Behind a return barrier, frames that are still frozen in the heap belong
 * between; they are not on the stack and are not shown. JavaThread._cont_entry is not asked: by now the carrier may run
 * another thread.
 */
final class ContinuationSite extends Site {
    private final GeneratedCode generated;
    private final Frame[] frames;
    private final int pushed;
    private final int entrySize;

    /**
     * @param frames what stands here
     * @param pushed how far below the ContinuationEntry the stack pointer is, in bytes
     * @param entrySize what a ContinuationEntry takes on the stack, in bytes
     */
    ContinuationSite(GeneratedCode generated, CodeBlob blob, Frame[] frames, int pushed, int entrySize) {
        super(blob, true);
        this.generated = generated;
        this.frames = frames;
        this.pushed = pushed;
        this.entrySize = entrySize;
    }

    @Override
    Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault {
        CompiledSite.report(frames, sink);
        long rbpAt = cursor.registers().sp() + pushed + entrySize;
        long returnAddress = cursor.stackWord(rbpAt + 8);
        if (!generated.isReturnAddress(returnAddress, cursor.time())) {
            return generated.implausible(returnAddress, cursor.time(), blob);
        }
        Registers registers = cursor.registers();
        registers.set(X86_64.RBP, cursor.stackWord(rbpAt));
        registers.retain(1 << X86_64.RIP | 1 << X86_64.RSP | 1 << X86_64.RBP | 1 << X86_64.R15);
        cursor.moveTo(returnAddress, rbpAt + 16);
        return Step.CALLER;
    }
}
