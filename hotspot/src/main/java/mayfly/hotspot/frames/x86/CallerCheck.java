package mayfly.hotspot.frames.x86;

import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.Nmethod;
import mayfly.hotspot.frames.GeneratedCode;
import mayfly.hotspot.frames.Site;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import mayfly.runtime.FrameCursor;

/** Verifies a candidate for a frame by the frame's own caller, where a return address alone is not sufficient. */
final class CallerCheck {
    private CallerCheck() {}

    /**
     * Returns true if the frame at this return address and stack pointer itself has a caller, as far as one step can
     * determine.
     */
    static boolean hasCaller(GeneratedCode generated, long returnAddress, long sp, FrameCursor cursor) {
        try {
            Site site = generated.returnSite(returnAddress, cursor.time());
            return site instanceof InterpreterSite
                    || site instanceof EntrySite
                    || site instanceof CompiledSite
                            && site.blob.frameSize > 0
                            && returns(generated, site.blob, sp, cursor);
        } catch (MemoryFault | BadMetadata e) {
            return false;
        }
    }

    /**
     * Returns true if an address is in a compiled method whose frame at a stack pointer is complete, with a valid
     * caller.
     */
    static boolean isInMethod(GeneratedCode generated, long pc, long sp, FrameCursor cursor) {
        CodeBlob blob = generated.blobOrNull(pc, cursor.time());
        try {
            return blob instanceof Nmethod
                    && blob.frameSize > 0
                    && pc >= blob.codeBegin
                    && pc < blob.codeEnd
                    && returns(generated, blob, sp, cursor);
        } catch (MemoryFault e) {
            return false;
        }
    }

    private static boolean returns(GeneratedCode generated, CodeBlob blob, long sp, FrameCursor cursor)
            throws MemoryFault {
        return generated.isReturnAddress(cursor.stackWord(sp + 8L * blob.frameSize - 8), cursor.time());
    }
}
