package mayfly.hotspot.frames.x86;

import java.util.List;
import mayfly.arch.Architecture;
import mayfly.arch.x86.CallInstruction;
import mayfly.arch.x86.StackDepth;
import mayfly.arch.x86.X86Instruction;
import mayfly.arch.x86.X86_64;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.Codelets;
import mayfly.hotspot.code.DebugInfo;
import mayfly.hotspot.code.LeafReading;
import mayfly.hotspot.code.Nmethod;
import mayfly.hotspot.code.PcKind;
import mayfly.hotspot.frames.FrozenFrames;
import mayfly.hotspot.frames.GeneratedCode;
import mayfly.hotspot.frames.NmethodFrames;
import mayfly.hotspot.frames.Site;
import mayfly.hotspot.frames.SiteDecoder;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.profile.Frame;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;

/** Decodes the frames of HotSpot on x86-64. */
public final class X86Sites implements SiteDecoder {
    private static final String STATIC_CALL_STUB = "static call stub";
    private static final int PUSH_RBP = 0x55;
    /** The address begins right above the bit: see ZPointerLoadShiftTable. */
    private static final List<Integer> REFERENCE_SHIFTS = List.of(13, 14, 15, 16);
    /**
     * Upper bound on the bytes pushed by a stub without a frame. A stub that calls the VM has lowered the stack pointer
     * by one word for alignment, or not at all: unwind_exception of C1, forward_exception. Its rbp is that of some
     * caller.
     */
    private static final int MAX_WITHOUT_FRAME = 8;

    @Override
    public Architecture architecture() {
        return X86_64.ARCHITECTURE;
    }

    @Override
    public String sourceName() {
        return "x86";
    }

    @Override
    public List<Integer> referenceShifts() {
        return REFERENCE_SHIFTS;
    }

    @Override
    public Site compiled(long pc, Nmethod nmethod, PcKind pcKind, GeneratedCode code) throws MemoryFault {
        Memory memory = code.memory();
        if (pcKind.isInterrupted() && CompiledPrologue.isStaticCallStub(pc, nmethod, memory)) {
            return new CompiledSite(
                    code,
                    nmethod,
                    false,
                    new Frame[] {new Frame.Stub(code.id(), STATIC_CALL_STUB)},
                    CompiledPrologue.State.ENTERED,
                    null);
        }
        int offset = (int) (pc - nmethod.codeBegin);
        NmethodFrames nmethodFrames = code.nmethodFrames();
        DebugInfo info = nmethodFrames.debugInfo(nmethod);
        boolean recorded = pcKind == PcKind.RETURN && info != null && info.hasPcDescAt(offset);
        boolean isReturn = recorded || pcKind == PcKind.RETURN && CallInstruction.endsAt(pc, memory);
        StackDepth depth = recorded ? StackDepth.WHOLE : depth(pc, nmethod, info, memory);
        Frame[] frames = nmethodFrames.at(offset, nmethod, info, pcKind);
        LeafReading reading = pcKind.isInterrupted() ? nmethodFrames.reading(offset, nmethod, info) : null;
        return new CompiledSite(
                code, nmethod, isReturn, frames, state(pc, nmethod, pcKind, depth, memory), depth, reading);
    }

    @Override
    public Site wrapper(long pc, Nmethod wrapper, PcKind pcKind, Frame[] frames, GeneratedCode code)
            throws MemoryFault {
        Memory memory = code.memory();
        StackDepth exit = pcKind.isInterrupted() ? StraightExit.at(pc, wrapper, memory) : null;
        StackDepth depth = exit != null ? exit : wrapperDepth(pc, wrapper, memory);
        return new CompiledSite(
                code,
                wrapper,
                pcKind == PcKind.RETURN && CallInstruction.endsAt(pc, memory),
                frames,
                wrapperState(pc, wrapper, pcKind, depth, memory),
                depth);
    }

    @Override
    public Site interpreted(long pc, CodeBlob blob, Codelets.Codelet codelet, PcKind pcKind, GeneratedCode code) {
        return new InterpreterSite(code, blob, codelet, activationEnd(pc, pcKind, codelet, code.memory()));
    }

    @Override
    public Site entry(CodeBlob blob, Frame frame, GeneratedCode code) {
        return new EntrySite(code, blob, frame);
    }

    @Override
    public Site continuation(CodeBlob blob, Frame[] frames, GeneratedCode code) {
        return new ContinuationSite(code, blob, frames, 0, code.routines().continuationEntrySize());
    }

    @Override
    public Site stub(long pc, CodeBlob blob, PcKind pcKind, GeneratedCode code) throws MemoryFault {
        Memory memory = code.memory();
        Frame.Stub frame = new Frame.Stub(code.id(), code.routines().name(pc, blob));
        if (pcKind == PcKind.RETURN) {
            return new StubSite(code, blob, code.isAfterCall(pc, blob), frame, returnDepth(pc, blob, code));
        }
        int exit = StraightExit.returnAt(pc, blob.codeEnd, memory);
        if (exit >= 0) {
            StubDepth depth = StubDepth.of(exit);
            return new StubSite(code, blob, false, frame, exit > 0 ? depth.withRbp() : depth);
        }
        int thawing = blob.kind == CodeBlob.Kind.STUBS ? pushedBehindBarrier(pc, blob, code) : -1;
        if (thawing >= 0) {
            return new ContinuationSite(
                    code, blob, new Frame[] {frame}, thawing, code.routines().continuationEntrySize());
        }
        long entry = code.routines().entry(pc, blob);
        StackDepth pushed = entry == 0 ? null : StackDepth.at(pc, entry, blob.codeEnd, memory);
        if (ExceptionBlob.is(blob)) {
            StubDepth depth = StubDepth.of(ExceptionBlob.returnAddressAt(pc, blob, memory));
            return new StubSite(code, blob, false, frame, pushesRbp(pushed, entry, memory) ? depth.withRbp() : depth);
        }
        Site site = new StubSite(code, blob, false, frame, depth(pushed, entry, blob, memory));
        Site poll = PollSite.of(pc, code, frame, site);
        return poll == null ? site : poll;
    }

    @Override
    public Step frozen(FrozenFrames chunk, GeneratedCode code, long time, FrameSink sink)
            throws MemoryFault, BadMetadata {
        return ChunkWalk.walk(chunk, code, time, sink);
    }

    /** Returns the depth at a return address. A routine with a frame has none, because rbp points to its frame. */
    private static StubDepth returnDepth(long pc, CodeBlob blob, GeneratedCode code) throws MemoryFault {
        long entry = code.routines().entry(pc, blob);
        if (blob.kind != CodeBlob.Kind.STUBS || entry == 0) {
            return StubDepth.unknown();
        }
        StackDepth pushed = StackDepth.at(pc, entry, blob.codeEnd, code.memory());
        return pushed == null || pushed.bytes() > MAX_WITHOUT_FRAME
                ? StubDepth.unknown()
                : depth(pushed, entry, blob, code.memory());
    }

    private static StubDepth depth(@Nullable StackDepth pushed, long entry, CodeBlob blob, Memory memory)
            throws MemoryFault {
        if (pushed == null) {
            return StubDepth.unknown();
        }
        boolean assumed = pushed.isAssumed() && blob.kind != CodeBlob.Kind.ADAPTER;
        StubDepth depth = assumed ? StubDepth.assuming(pushed.bytes()) : StubDepth.of(pushed.bytes());
        return pushesRbp(pushed, entry, memory) ? depth.withRbp() : depth;
    }

    private static boolean pushesRbp(@Nullable StackDepth pushed, long entry, Memory memory) throws MemoryFault {
        return pushed != null && pushed.bytes() > 0 && memory.readByte(entry + pushed.assumedAt()) == PUSH_RBP;
    }

    private static @Nullable ActivationEnd activationEnd(
            long pc, PcKind pcKind, Codelets.Codelet codelet, Memory memory) {
        ActivationEnd thrown =
                codelet.description().equals(Codelets.EXCEPTION_HANDLING) ? ExceptionExit.at(pc, memory) : null;
        return thrown == null && pcKind.isInterrupted() ? InterpreterExit.at(pc, memory) : thrown;
    }

    private static CompiledPrologue.State state(
            long pc, Nmethod nmethod, PcKind pcKind, @Nullable StackDepth depth, Memory memory) throws MemoryFault {
        if (pcKind == PcKind.RETURN) {
            return CompiledPrologue.State.COMPLETE;
        }
        CompiledPrologue.State state = CompiledPrologue.at(pc, nmethod, memory);
        return state == CompiledPrologue.State.COMPLETE && depth != null
                ? CompiledPrologue.of(depth, nmethod.frameSize)
                : state;
    }

    /**
     * Returns the state of a wrapper's frame. Method handle intrinsics have wrappers without a frame, which move
     * arguments and jump.
     */
    private static CompiledPrologue.State wrapperState(
            long pc, Nmethod wrapper, PcKind pcKind, @Nullable StackDepth depth, Memory memory) throws MemoryFault {
        if (wrapper.frameSize == 0) {
            return CompiledPrologue.State.ENTERED;
        }
        return pcKind.isInterrupted() && depth != null
                ? CompiledPrologue.of(depth, wrapper.frameSize)
                : state(pc, wrapper, pcKind, depth, memory);
    }

    /**
     * Returns the distance of the stack pointer below a wrapper's frame. Decoding begins at the entry, because a
     * wrapper removes its frame through the rbp that it has set there.
     */
    private static @Nullable StackDepth wrapperDepth(long pc, Nmethod wrapper, Memory memory) {
        StackDepth fromEntry = StackDepth.at(pc, wrapper.verifiedEntry, wrapper.codeEnd, memory);
        return fromEntry == null || fromEntry.isAssumed()
                ? depth(pc, wrapper, null, memory)
                : fromEntry.below(8 * wrapper.frameSize - 8);
    }

    /**
     * Returns the distance of the stack pointer below the frame, from the instructions since the last location at which
     * it was 0.
     */
    private static @Nullable StackDepth depth(long pc, Nmethod nmethod, @Nullable DebugInfo info, Memory memory) {
        long whole = nmethod.codeBegin + nmethod.frameComplete;
        if (info != null) {
            whole = Math.max(whole, nmethod.codeBegin + info.pcDescNotAfter((int) (pc - nmethod.codeBegin)));
        }
        // If the entry for on-stack replacement lies between that location and the pc, it builds the frame again.
        boolean replaced = nmethod.osrEntry >= whole && nmethod.osrEntry <= pc;
        return nmethod.frameComplete < 0 || replaced ? null : StackDepth.at(pc, whole, nmethod.codeEnd, memory);
    }

    /**
     * Returns the number of bytes that a return barrier has pushed below the ContinuationEntry, or -1 if this is not a
     * return barrier or it has reserved space for frames. Its first instruction sets the stack pointer to the entry,
     * which usually does not change it: see generate_cont_thaw in HotSpot's stubGenerator_x86_64.cpp.
     */
    private static int pushedBehindBarrier(long pc, CodeBlob blob, GeneratedCode code) {
        long entry = code.routines().barrierEntry(pc, blob);
        if (entry == 0) {
            return -1;
        }
        if (pc == entry) {
            return 0;
        }
        byte[] bytes = new byte[X86Instruction.MAX_LENGTH];
        X86Instruction first = new X86Instruction();
        try {
            code.memory().read(entry, bytes, 0, bytes.length);
        } catch (MemoryFault e) {
            return -1;
        }
        StackDepth pushed = first.decode(bytes, 0, bytes.length)
                ? StackDepth.at(pc, entry + first.length(), blob.codeEnd, code.memory())
                : null;
        return pushed == null || pushed.isAssumed() ? -1 : pushed.bytes();
    }
}
