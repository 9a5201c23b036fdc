package mayfly.hotspot.frames;

import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;

/**
 * What is known of one program counter in generated code: the blob it lies in, and how a frame that stands there is
 * stepped. Made once, used for every sample that meets it while the blob is in place.
 */
abstract class Site {
    final CodeBlob blob;
    /** Whether a call can return to this program counter. */
    final boolean isReturn;

    Site(CodeBlob blob, boolean isReturn) {
        this.blob = blob;
        this.isReturn = isReturn;
    }

    /** Reports the frames and moves the cursor to the caller. */
    abstract Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault, BadMetadata;
}
