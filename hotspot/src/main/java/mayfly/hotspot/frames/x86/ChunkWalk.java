package mayfly.hotspot.frames.x86;

import mayfly.hotspot.code.Method;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.code.Tier;
import mayfly.hotspot.frames.DeoptimizedSite;
import mayfly.hotspot.frames.FrozenFrames;
import mayfly.hotspot.frames.GeneratedCode;
import mayfly.hotspot.frames.Site;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import mayfly.profile.Frame;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;

/**
 * Walks the frozen frames of a stack chunk, see continuationFreezeThaw.cpp. A return address is right below the stack
 * pointer of its caller, and the saved rbp below it. In an interpreter frame the pointers into the stack are distances
 * from rbp.
 *
 * <p>The stack pointer from which the caller's frame is counted is that of the frame without the extension that an
 * interpreted callee has made; a return address and the saved rbp are below the extended one.
 */
final class ChunkWalk {
    /** The words below a stack pointer that belong to the frame above it: the saved rbp and the return address. */
    private static final int METADATA_WORDS = 2;

    /** Positions in an interpreter frame, in words from rbp, see frame_x86.hpp. */
    private static final int SENDER_SP = -1;

    private static final int METHOD = -3;
    private static final int LOCALS = -7;
    private static final int BCP = -8;

    /** Upper bound on the words by which a stack pointer can lie beyond the end: the arguments of a method. */
    private static final int MAX_ARGUMENTS = 256;

    private final FrozenFrames chunk;
    private final GeneratedCode code;
    private final long time;
    private final FrameSink sink;
    private int sp;
    private int unextended;

    private ChunkWalk(FrozenFrames chunk, GeneratedCode code, long time, FrameSink sink) {
        this.chunk = chunk;
        this.code = code;
        this.time = time;
        this.sink = sink;
        this.sp = chunk.sp();
        this.unextended = sp;
    }

    /** Reports the frames of a chunk, leaf first. Returns ROOT at its end. */
    static Step walk(FrozenFrames chunk, GeneratedCode code, long time, FrameSink sink)
            throws MemoryFault, BadMetadata {
        return new ChunkWalk(chunk, code, time, sink).all();
    }

    private Step all() throws MemoryFault, BadMetadata {
        while (sp < chunk.end() - METADATA_WORDS) {
            int before = sp;
            Site site = code.returnSite(chunk.word(sp - 1), time);
            if (site == null) {
                return Step.STALE_CODE;
            }
            Step step = site instanceof InterpreterSite ? interpreted() : compiled(site);
            if (step != Step.CALLER) {
                return step;
            }
            if (sp <= before) {
                return Step.BAD_METADATA;
            }
        }
        return sp <= chunk.end() + MAX_ARGUMENTS ? Step.ROOT : Step.BAD_METADATA;
    }

    private Step interpreted() throws BadMetadata {
        int fp = chunk.position(sp - METADATA_WORDS, sp - METADATA_WORDS);
        if (fp < sp || fp >= chunk.end()) {
            return Step.BAD_INTERPRETER_FRAME;
        }
        Method method = code.methodOrNull(chunk.word(fp + METHOD));
        if (method == null) {
            sink.accept(new Frame.Stub(code.id(), Methods.UNLOADED));
        } else {
            long bci = chunk.word(fp + BCP) - method.codeBegin;
            Tier tier = method.isNative ? Tier.NATIVE : Tier.INTERPRETED;
            sink.accept(method.frame(code.id(), tier, bci >= 0 && bci < method.codeSize ? (int) bci : -1));
        }
        int sender = chunk.position(fp, fp + SENDER_SP);
        if (sender <= fp || sender > chunk.end() + MAX_ARGUMENTS) {
            return Step.BAD_INTERPRETER_FRAME;
        }
        unextended = sender;
        sp = fp + METADATA_WORDS;
        // The locals of the last frame are at the end: its caller is the code that resumes the thread.
        int locals = chunk.position(fp, fp + LOCALS);
        if (locals > chunk.end() + MAX_ARGUMENTS) {
            return Step.BAD_INTERPRETER_FRAME;
        }
        return locals >= chunk.end() - 1 ? Step.ROOT : Step.CALLER;
    }

    private Step compiled(Site at) throws MemoryFault, BadMetadata {
        Site site = at;
        if (at instanceof DeoptimizedSite deoptimized) {
            site = deoptimized.real(chunk.word(unextended + deoptimized.pcOffset() / Long.BYTES), time);
        }
        if (site instanceof CompiledSite compiled) {
            CompiledSite.report(compiled.frames(), sink);
        } else if (site == null || at instanceof DeoptimizedSite) {
            return Step.BAD_METADATA;
        } else {
            sink.accept(new Frame.Stub(code.id(), code.routines().name(chunk.word(sp - 1), site.blob)));
        }
        if (at.blob.frameSize <= 0) {
            return Step.BAD_METADATA;
        }
        unextended += at.blob.frameSize;
        sp = unextended;
        return Step.CALLER;
    }
}
