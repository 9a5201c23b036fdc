package mayfly.hotspot.frames;

import java.util.List;
import mayfly.hotspot.code.MonitorSlot;
import mayfly.hotspot.code.Nmethod;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;

/**
 * The deoptimisation handler of a compiled method, patched in as the return address of a frame. The frame's real
 * program counter was saved in the frame, and the frame itself is unchanged.
 */
public final class DeoptimizedSite extends Site {
    private final GeneratedCode generated;
    private final Nmethod nmethod;

    DeoptimizedSite(GeneratedCode generated, Nmethod nmethod) {
        super(nmethod, true);
        this.generated = generated;
        this.nmethod = nmethod;
    }

    /** Returns the offset of the real program counter from the frame's stack pointer, in bytes. */
    public int pcOffset() {
        return nmethod.origPcOffset;
    }

    @Override
    public Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault, BadMetadata {
        Site site = real(cursor.stackWord(cursor.registers().sp() + nmethod.origPcOffset), cursor.time());
        return site == null ? Step.BAD_METADATA : site.step(cursor, sink);
    }

    @Override
    public List<MonitorSlot> monitors(FrameCursor cursor, long pc) throws MemoryFault, BadMetadata {
        long realPc = cursor.stackWord(cursor.registers().sp() + nmethod.origPcOffset);
        Site site = real(realPc, cursor.time());
        return site == null ? List.of() : site.monitors(cursor, realPc);
    }

    /**
     * Returns the site of the frame's real program counter, or null if the word read is not one of this method.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public @Nullable Site real(long pc, long time) throws MemoryFault, BadMetadata {
        if (!nmethod.contains(pc) || nmethod.isDeoptHandler(pc)) {
            return null;
        }
        generated.counters().countDeoptimized();
        Site site = generated.returnSite(pc, time);
        // Another nmethod may have replaced this one since.
        return site == null || !(site.blob instanceof Nmethod) || site instanceof DeoptimizedSite ? null : site;
    }
}
