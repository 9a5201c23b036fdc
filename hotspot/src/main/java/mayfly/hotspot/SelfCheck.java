package mayfly.hotspot;

import java.util.ArrayList;
import java.util.List;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.CodeCache;
import mayfly.hotspot.code.Codelets;
import mayfly.hotspot.code.DebugInfo;
import mayfly.hotspot.code.Nmethod;
import mayfly.hotspot.code.PcKind;
import mayfly.hotspot.code.VmReaders;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a VM's tables are consistent with its memory: the code cache's blobs, their methods, the interpreter. The
 * check runs once, before the first sample, so that a VM whose layout differs from its tables is refused instead of
 * misread.
 */
final class SelfCheck {
    private static final int BLOBS_PER_HEAP = 200;
    private static final int MIN_CODELETS = 100;
    private static final int FEW = 8;

    private final VmReaders vm;
    private final CodeCache cache;
    private final Codelets codelets;

    SelfCheck(VmReaders vm, CodeCache cache, Codelets codelets) {
        this.vm = vm;
        this.cache = cache;
        this.codelets = codelets;
    }

    void run() throws MemoryFault, BadMetadata {
        if (codelets.count() < MIN_CODELETS) {
            throw new BadMetadata("the interpreter has only " + codelets.count() + " codelets");
        }
        List<Exception> unread = new ArrayList<>();
        List<CodeBlob> blobs = cache.first(BLOBS_PER_HEAP, unread::add);
        // A running JVM may install or free a blob at any time. A wrong layout makes all blobs unreadable.
        if (unread.size() > blobs.size()) {
            throw new BadMetadata(unread.size() + " of " + (blobs.size() + unread.size())
                    + " blobs of the code cache cannot be read; the last is "
                    + unread.getLast().getMessage());
        }
        boolean interpreter = false;
        int nmethods = 0;
        int unreadable = 0;
        int described = 0;
        int contradicted = 0;
        String last = "";
        for (CodeBlob blob : blobs) {
            interpreter |= blob.kind == CodeBlob.Kind.INTERPRETER;
            if (blob instanceof Nmethod nmethod && nmethod.method != 0) {
                nmethods++;
                try {
                    vm.methods().at(nmethod.method, 0);
                    Boolean agrees = blob.kind == CodeBlob.Kind.NMETHOD ? debugInfoAgrees(nmethod) : null;
                    described += agrees == null ? 0 : 1;
                    contradicted += agrees == null || agrees ? 0 : 1;
                } catch (BadMetadata | MemoryFault e) {
                    unreadable++;
                    last = nmethod + ": " + e.getMessage();
                }
            }
        }
        if (!interpreter) {
            throw new BadMetadata("no blob of the code cache is the interpreter");
        }
        // Methods of unloaded classes are freed before their code. A wrong layout makes all methods unreadable.
        if (unreadable * 2 > nmethods) {
            throw new BadMetadata(
                    unreadable + " of " + nmethods + " nmethods have no readable method; the last is " + last);
        }
        // A few may have been freed during the read.
        if (contradicted > FEW && contradicted * 2 > described) {
            throw new BadMetadata("the debug information of " + contradicted + " of " + described
                    + " nmethods belongs to other methods");
        }
    }

    /**
     * Returns true if the outermost scope of the first PcDesc after the start of the code is the nmethod's own method,
     * or null if no scope is recorded there or the scopes have been freed.
     */
    private @Nullable Boolean debugInfoAgrees(Nmethod nmethod) {
        long[] outermost = new long[1];
        try {
            DebugInfo info = DebugInfo.read(nmethod.tables, vm.memory(), vm.layout(), vm.rules());
            info.scopesAt(0, PcKind.INTERRUPTED, (method, bci) -> outermost[0] = method);
        } catch (MemoryFault e) {
            return null;
        } catch (BadMetadata e) {
            return false;
        }
        return outermost[0] == 0 ? null : outermost[0] == nmethod.method;
    }
}
