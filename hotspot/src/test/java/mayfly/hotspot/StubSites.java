package mayfly.hotspot;

import java.util.List;
import mayfly.arch.Architecture;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.Codelets;
import mayfly.hotspot.code.DebugInfo;
import mayfly.hotspot.code.Method;
import mayfly.hotspot.code.Nmethod;
import mayfly.hotspot.code.PcKind;
import mayfly.hotspot.code.Tier;
import mayfly.hotspot.frames.FrozenFrames;
import mayfly.hotspot.frames.GeneratedCode;
import mayfly.hotspot.frames.Site;
import mayfly.hotspot.frames.SiteDecoder;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;

/**
 * The frames of HotSpot on {@link StubCpu}. Every complete frame ends with the caller's frame pointer and the return
 * address. The return address is in the link register until a compiled method has saved it, and in a stub.
 */
final class StubSites implements SiteDecoder {
    static final int METHOD = -32;
    static final int SENDER_SP = -24;
    private static final int KEPT = 1 << StubCpu.PC | 1 << StubCpu.SP | 1 << StubCpu.FP;

    @Override
    public Architecture architecture() {
        return StubCpu.ARCHITECTURE;
    }

    @Override
    public String sourceName() {
        return "stub";
    }

    @Override
    public List<Integer> referenceShifts() {
        return List.of(16, 16, 16, 16);
    }

    @Override
    public Site compiled(long pc, Nmethod nmethod, PcKind pcKind, GeneratedCode code) throws MemoryFault {
        int offset = (int) (pc - nmethod.codeBegin);
        DebugInfo info = code.nmethodFrames().debugInfo(nmethod);
        Frame[] frames = code.nmethodFrames().at(offset, nmethod, info, pcKind);
        return pcKind.isInterrupted() && offset < nmethod.frameComplete
                ? new Frameless(code, nmethod, false, frames)
                : new Framed(code, nmethod, isReturn(pc, pcKind, code), frames);
    }

    @Override
    public Site wrapper(long pc, Nmethod wrapper, PcKind pcKind, Frame[] frames, GeneratedCode code)
            throws MemoryFault {
        return new Framed(code, wrapper, isReturn(pc, pcKind, code), frames);
    }

    private static boolean isReturn(long pc, PcKind pcKind, GeneratedCode code) throws MemoryFault {
        return pcKind == PcKind.RETURN && StubCpu.ARCHITECTURE.instructions().callEndsAt(pc, code.memory());
    }

    @Override
    public Site interpreted(long pc, CodeBlob blob, Codelets.Codelet codelet, PcKind pcKind, GeneratedCode code) {
        return new Interpreted(code, blob);
    }

    @Override
    public Site entry(CodeBlob blob, Frame frame, GeneratedCode code) {
        return new Entry(code, blob, frame);
    }

    @Override
    public Site continuation(CodeBlob blob, Frame[] frames, GeneratedCode code) {
        return new Continuation(code, blob, frames);
    }

    @Override
    public Site stub(long pc, CodeBlob blob, PcKind pcKind, GeneratedCode code) throws MemoryFault {
        Frame frame = new Frame.Stub(code.id(), code.routines().name(pc, blob));
        return new Frameless(code, blob, pcKind == PcKind.RETURN && code.isAfterCall(pc, blob), frame);
    }

    /** The stub CPU has no virtual threads. */
    @Override
    public Step frozen(FrozenFrames chunk, GeneratedCode code, long time, FrameSink sink) {
        return Step.UNKNOWN_CODE;
    }

    private static Step move(GeneratedCode code, CodeBlob blob, FrameCursor cursor, long returnAddress, long sp) {
        if (!code.isReturnAddress(returnAddress, cursor.time())
                && !cursor.code().mayReturnTo(returnAddress)) {
            return code.implausible(returnAddress, cursor.time(), blob);
        }
        cursor.registers().retain(KEPT);
        cursor.moveTo(returnAddress, sp);
        return Step.CALLER;
    }

    /** Moves to the caller of a frame that ends at an address. */
    private static Step leave(GeneratedCode code, CodeBlob blob, FrameCursor cursor, long end, long sp)
            throws MemoryFault {
        long fp = cursor.stackWord(end - 16);
        Step step = move(code, blob, cursor, cursor.stackWord(end - 8), sp);
        if (step == Step.CALLER) {
            cursor.registers().setFp(fp);
        }
        return step;
    }

    private static final class Frameless extends Site {
        private final GeneratedCode code;
        private final Frame[] frames;

        Frameless(GeneratedCode code, CodeBlob blob, boolean isReturn, Frame... frames) {
            super(blob, isReturn);
            this.code = code;
            this.frames = frames;
        }

        @Override
        public Step step(FrameCursor cursor, FrameSink sink) {
            for (Frame frame : frames) {
                sink.accept(frame);
            }
            Registers registers = cursor.registers();
            return registers.knows(StubCpu.LINK)
                    ? move(code, blob, cursor, registers.get(StubCpu.LINK), registers.sp())
                    : Step.UNKNOWN_REGISTER;
        }
    }

    private static final class Framed extends Site {
        private final GeneratedCode code;
        private final Frame[] frames;

        Framed(GeneratedCode code, CodeBlob blob, boolean isReturn, Frame[] frames) {
            super(blob, isReturn);
            this.code = code;
            this.frames = frames;
        }

        @Override
        public Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault {
            for (Frame frame : frames) {
                sink.accept(frame);
            }
            long end = cursor.registers().sp() + 8L * blob.frameSize;
            return leave(code, blob, cursor, end, end);
        }
    }

    private static final class Interpreted extends Site {
        private final GeneratedCode code;

        Interpreted(GeneratedCode code, CodeBlob blob) {
            super(blob, true);
            this.code = code;
        }

        @Override
        public Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault {
            long fp = cursor.registers().fp();
            Method method = code.methodOrNull(cursor.stackWord(fp + METHOD));
            if (method == null) {
                return Step.BAD_INTERPRETER_FRAME;
            }
            sink.accept(method.frame(code.id(), Tier.INTERPRETED, 0));
            return leave(code, blob, cursor, fp, cursor.stackWord(fp + SENDER_SP));
        }
    }

    private static final class Entry extends Site {
        private final GeneratedCode code;
        private final Frame frame;

        Entry(GeneratedCode code, CodeBlob blob, Frame frame) {
            super(blob, true);
            this.code = code;
            this.frame = frame;
        }

        @Override
        public Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault {
            sink.accept(frame);
            long fp = cursor.registers().fp();
            return leave(code, blob, cursor, fp, fp);
        }
    }

    private static final class Continuation extends Site {
        private final GeneratedCode code;
        private final Frame[] frames;

        Continuation(GeneratedCode code, CodeBlob blob, Frame[] frames) {
            super(blob, true);
            this.code = code;
            this.frames = frames;
        }

        @Override
        public Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault {
            for (Frame frame : frames) {
                sink.accept(frame);
            }
            long end = cursor.registers().sp() + code.routines().continuationEntrySize() + 16;
            return leave(code, blob, cursor, end, end);
        }
    }
}
