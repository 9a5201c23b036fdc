package mayfly.hotspot.frames.x86;

import java.util.ArrayList;
import java.util.List;
import mayfly.arch.x86.StackDepth;
import mayfly.arch.x86.X86Instruction;
import mayfly.arch.x86.X86_64;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.LeafReading;
import mayfly.hotspot.code.MonitorSlot;
import mayfly.hotspot.code.MonitorValue;
import mayfly.hotspot.code.Nmethod;
import mayfly.hotspot.frames.GeneratedCode;
import mayfly.hotspot.frames.Site;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;

/**
 * A program counter in a compiled method or native wrapper.
 *
 * <p>The frame: caller's sp = sp + 8·frame_size; return address at caller's sp − 8; saved rbp at caller's sp − 16. Java
 * code saves no other register. {@link CompiledPrologue} determines from the instructions whether a frame is complete.
 */
final class CompiledSite extends Site {
    private static final int KEPT = 1 << X86_64.RIP | 1 << X86_64.RSP | 1 << X86_64.RBP | 1 << X86_64.R15;
    /**
     * Upper bound on the words that code has pushed inside a frame, if the number cannot be determined from its
     * instructions.
     */
    private static final int MAX_SLIP_WORDS = 2;

    /**
     * Upper bound on the distance of a saved stack pointer: two copies of up to 32 bytes, some pushed words, and
     * padding for alignment.
     */
    private static final int MAX_COPIED_BYTES = 256;

    private final GeneratedCode generated;
    private final Frame[] frames;
    private final CompiledPrologue.State state;
    private final int frameBytes;
    private final @Nullable StackDepth depth;
    private final @Nullable LeafReading reading;

    /**
     * @param frames the frames at this program counter, innermost first
     * @param state the state of the frame
     * @param depth the distance of the stack pointer below the complete frame; null if unknown
     */
    CompiledSite(
            GeneratedCode generated,
            CodeBlob blob,
            boolean isReturn,
            Frame[] frames,
            CompiledPrologue.State state,
            @Nullable StackDepth depth) {
        this(generated, blob, isReturn, frames, state, depth, null);
    }

    /** Creates a site with a reading, which is reported to an observer. */
    CompiledSite(
            GeneratedCode generated,
            CodeBlob blob,
            boolean isReturn,
            Frame[] frames,
            CompiledPrologue.State state,
            @Nullable StackDepth depth,
            @Nullable LeafReading reading) {
        super(blob, isReturn);
        this.reading = reading;
        this.generated = generated;
        this.frames = frames;
        this.state = state;
        this.frameBytes = blob.frameSize * 8;
        this.depth = depth;
    }

    Frame[] frames() {
        return frames;
    }

    @Override
    public Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault {
        report(frames, sink);
        if (reading != null && cursor.top()) {
            generated.nmethodFrames().observed(reading);
        }
        return leave(cursor);
    }

    @Override
    public List<MonitorSlot> monitors(FrameCursor cursor, long pc) throws MemoryFault, BadMetadata {
        if (cursor.exact() || !(blob instanceof Nmethod nmethod)) {
            return List.of();
        }
        List<MonitorSlot> slots = new ArrayList<>();
        for (MonitorValue monitor : generated.nmethodFrames().monitors((int) (pc - blob.codeBegin), nmethod)) {
            slots.add(CompiledMonitors.slot(monitor, cursor, nmethod));
        }
        return slots;
    }

    static void report(Frame[] frames, FrameSink sink) {
        for (Frame frame : frames) {
            sink.accept(frame);
        }
    }

    /** Moves to the caller without reporting anything. */
    Step leave(FrameCursor cursor) throws MemoryFault {
        if (state == CompiledPrologue.State.COMPLETE && depth != null) {
            return leaveWhole(cursor, depth);
        }
        long sp = cursor.registers().sp();
        if (tryState(cursor, sp, state)) {
            return Step.CALLER;
        }
        long returnAddress = cursor.stackWord(sp + Math.max(0, frameBytes - 8));
        if (state == CompiledPrologue.State.COMPLETE && generated.owns(returnAddress)) {
            return generated.implausible(returnAddress, cursor.time(), blob); // there is no other candidate
        }
        if (cursor.exact()) {
            for (CompiledPrologue.State other : CompiledPrologue.State.values()) {
                if (other != state && tryState(cursor, sp, other)) {
                    generated.counters().countOtherState();
                    return Step.CALLER;
                }
            }
        }
        for (int slip = 1; slip <= MAX_SLIP_WORDS && cursor.exact(); slip++) {
            if (tryState(cursor, sp + 8L * slip, CompiledPrologue.State.COMPLETE)) {
                if (!CallerCheck.hasCaller(
                        generated, cursor.registers().pc(), cursor.registers().sp(), cursor)) {
                    generated.counters().countSlipped(); // a leftover of an earlier call is possible
                }
                return Step.CALLER;
            }
        }
        return generated.implausible(returnAddress, cursor.time(), blob);
    }

    /** Moves from a complete frame to the caller: the return address can only be in one place. */
    private Step leaveWhole(FrameCursor cursor, StackDepth below) throws MemoryFault {
        long sp = frameSp(cursor, below);
        if (sp == 0) {
            return Step.IMPLAUSIBLE_RETURN_ADDRESS;
        }
        if (tryState(cursor, sp, CompiledPrologue.State.COMPLETE)) {
            return Step.CALLER;
        }
        long returnAddress = cursor.stackWord(sp + Math.max(0, frameBytes - 8));
        return generated.implausible(returnAddress, cursor.time(), blob);
    }

    /**
     * Returns the stack pointer of the complete frame. If the code has replaced the stack pointer, the saved value is
     * read; returns 0 if that value is unknown or not plausible.
     */
    private long frameSp(FrameCursor cursor, StackDepth below) throws MemoryFault {
        long sp = cursor.registers().sp();
        if (below.bytes() != StackDepth.UNKNOWN) {
            return sp + below.bytes();
        }
        long saved = 0;
        if (below.savedAt() >= 0) {
            saved = cursor.stackWord(sp + below.savedAt());
        } else if (below.savedIn() >= 0) {
            int register = X86Instruction.dwarf(below.savedIn());
            saved = cursor.registers().knows(register) ? cursor.registers().get(register) : 0;
        }
        boolean near = saved - sp >= 0 && saved - sp <= MAX_COPIED_BYTES && (saved & 7) == 0;
        if (near) {
            generated.counters().countSavedSp();
        }
        return near ? saved + below.savedBytes() : 0;
    }

    private boolean tryState(FrameCursor cursor, long sp, CompiledPrologue.State tried) throws MemoryFault {
        long returnAt = switch (tried) {
            case COMPLETE, RBP_NOT_SAVED -> sp + frameBytes - 8;
            case RBP_PUSHED -> sp + 8;
            case ENTERED -> sp;
        };
        if (returnAt < sp) {
            return false;
        }
        long returnAddress = cursor.stackWord(returnAt);
        if (!generated.isReturnAddress(returnAddress, cursor.time())) {
            return false;
        }
        Registers registers = cursor.registers();
        if (tried == CompiledPrologue.State.COMPLETE || tried == CompiledPrologue.State.RBP_PUSHED) {
            registers.set(X86_64.RBP, cursor.stackWord(returnAt - 8));
        }
        registers.retain(KEPT);
        cursor.moveTo(returnAddress, returnAt + 8);
        return true;
    }
}
