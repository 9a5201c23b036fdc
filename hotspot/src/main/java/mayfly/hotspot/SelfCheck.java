package mayfly.hotspot;

import java.util.List;
import mayfly.process.MemoryFault;

/**
 * Whether a VM's tables agree with what is in its memory: the code cache's blobs, their methods, the interpreter. Run once,
 * before the first sample, so that a VM that is laid out differently from what its tables say is refused, not misread.
 */
final class SelfCheck {
    private static final int BLOBS_PER_HEAP = 200;
    private static final int FEWEST_CODELETS = 100;

    private final CodeCache cache;
    private final Methods methods;
    private final Codelets codelets;

    SelfCheck(CodeCache cache, Methods methods, Codelets codelets) {
        this.cache = cache;
        this.methods = methods;
        this.codelets = codelets;
    }

    void run() throws MemoryFault, BadMetadata {
        if (codelets.count() < FEWEST_CODELETS) {
            throw new BadMetadata("an interpreter of " + codelets.count() + " codelets");
        }
        List<CodeBlob> blobs = cache.first(BLOBS_PER_HEAP);
        boolean interpreter = false;
        int nmethods = 0;
        int unreadable = 0;
        String last = "";
        for (CodeBlob blob : blobs) {
            interpreter |= blob.kind == CodeBlob.Kind.INTERPRETER;
            if (blob instanceof Nmethod nmethod && nmethod.method != 0) {
                nmethods++;
                try {
                    methods.at(nmethod.method, 0);
                } catch (BadMetadata | MemoryFault e) {
                    unreadable++;
                    last = nmethod + ": " + e.getMessage();
                }
            }
        }
        if (!interpreter) {
            throw new BadMetadata("no blob of the code cache is the interpreter");
        }
        // Methods of unloaded classes are gone while their code is still there. A layout misread makes all unreadable.
        if (unreadable * 2 > nmethods) {
            throw new BadMetadata(unreadable + " of " + nmethods + " nmethods have no readable method; the last is "
                    + last);
        }
    }
}
