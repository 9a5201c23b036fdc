package mayfly.hotspot.frames;

import mayfly.hotspot.code.CodeBlob;
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
}
