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
 * The boundary between the frames of a virtual thread and those of its carrier: the return barrier, or the return into
 * Continuation.enterSpecial.
 *
 * <p>A ContinuationEntry lies at sp, or above the words that the return barrier has pushed. The caller's rbp and the
 * return address follow above it, see continuationEntry.hpp. After a return barrier, the next frames are still frozen
 * in the heap; they are not on the stack and are not reported. JavaThread._cont_entry is not used: the carrier may
 * already run another thread.
 */
final class ContinuationSite extends Site {
    private final GeneratedCode generated;
    private final Frame[] frames;
    private final int pushed;
    private final int entrySize;

    /**
     * @param frames the frames at this program counter
     * @param pushed the distance of the stack pointer below the ContinuationEntry, in bytes
     * @param entrySize the size of a ContinuationEntry on the stack, in bytes
     */
    ContinuationSite(GeneratedCode generated, CodeBlob blob, Frame[] frames, int pushed, int entrySize) {
        super(blob, true);
        this.generated = generated;
        this.frames = frames;
        this.pushed = pushed;
        this.entrySize = entrySize;
    }

    @Override
    public Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault {
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
