package mayfly.hotspot.frames;

import java.util.List;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.MonitorSlot;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;

/**
 * The decoded form of one program counter in generated code: its blob, and the way to unwind a frame at it. It is
 * created once and used for every sample that contains it while the blob is in place.
 */
public abstract class Site {
    public final CodeBlob blob;
    /** True if a call can return to this program counter. */
    public final boolean isReturn;

    protected Site(CodeBlob blob, boolean isReturn) {
        this.blob = blob;
        this.isReturn = isReturn;
    }

    /**
     * Reports the frames and moves the cursor to the caller.
     *
     * @throws MemoryFault if a part of the stack that is needed cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public abstract Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault, BadMetadata;

    /**
     * Returns the monitors that the frames at this program counter have entered, those of the innermost method first,
     * and in each method the one entered last first. The cursor remains. Empty for code that enters none, and at a
     * program counter at which the compiler records none.
     *
     * @param pc this program counter
     * @throws MemoryFault if a part of the stack that is needed cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public List<MonitorSlot> monitors(FrameCursor cursor, long pc) throws MemoryFault, BadMetadata {
        return List.of();
    }
}
