package mayfly.hotspot;

import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;

/**
 * A program counter in a compiled method or native wrapper.
 *
 * <p>The frame: caller's sp = sp + 8·frame_size; return address at caller's sp − 8; saved rbp at caller's sp − 16. Java
 * code saves no other register. Where a frame is not complete, {@link CompiledPrologue} knows by the instructions.
 */
final class CompiledSite extends Site {
    private static final int KEPT = 1 << Registers.RIP | 1 << Registers.RSP | 1 << Registers.RBP | 1 << Registers.R15;
    /** C2's string intrinsics push up to two words inside a frame, and call nothing while they are there. */
    private static final int MAX_SLIP_WORDS = 2;

    /** Two copies of up to 32 bytes, and some pushed words. */
    private static final int MAX_COPIED_WORDS = 16;

    private final HotSpot vm;
    private final Frame[] frames;
    private final CompiledPrologue.State state;
    private final int frameBytes;
    private final int spill;

    /**
     * @param frames what stands here, innermost first
     * @param state how much of the frame there is
     * @param spill bytes that a slow path at this pc may have pushed below the frame, 0 for none
     */
    CompiledSite(HotSpot vm, CodeBlob blob, boolean isReturn, Frame[] frames, CompiledPrologue.State state, int spill) {
        super(blob, isReturn);
        this.vm = vm;
        this.frames = frames;
        this.state = state;
        this.frameBytes = blob.frameSize * 8;
        this.spill = spill;
    }

    Frame[] frames() {
        return frames;
    }

    @Override
    Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault {
        report(frames, sink);
        return leave(cursor);
    }

    static void report(Frame[] frames, FrameSink sink) {
        for (Frame frame : frames) {
            sink.accept(frame);
        }
    }

    /** Moves to the caller without reporting anything. */
    Step leave(FrameCursor cursor) throws MemoryFault {
        long sp = cursor.registers().sp();
        if (cursor.exact() && trySavedSp(cursor, sp)) {
            vm.counters().savedSp++;
            return Step.CALLER;
        }
        if (tryState(cursor, sp, state)) {
            return Step.CALLER;
        }
        long returnAddress = cursor.stackWord(sp + Math.max(0, frameBytes - 8));
        if (state == CompiledPrologue.State.COMPLETE && spill == 0 && vm.owns(returnAddress)) {
            return Step.STALE_CODE; // the right place, but what it led to has been freed or replaced since
        }
        if (spill > 0 && tryState(cursor, sp + spill, CompiledPrologue.State.COMPLETE)) {
            return Step.CALLER;
        }
        if (cursor.exact()) {
            for (CompiledPrologue.State other : CompiledPrologue.State.values()) {
                if (other != state && tryState(cursor, sp, other)) {
                    vm.counters().otherState++;
                    return Step.CALLER;
                }
            }
        }
        for (int slip = 1; slip <= MAX_SLIP_WORDS && cursor.exact(); slip++) {
            if (tryState(cursor, sp + 8L * slip, CompiledPrologue.State.COMPLETE)) {
                if (!vm.hasCaller(cursor.registers().pc(), cursor.registers().sp(), cursor)) {
                    vm.counters().slipped++; // one return address may be a leftover; two in a row are not
                }
                return Step.CALLER;
            }
        }
        return vm.implausible(returnAddress, cursor.time(), blob);
    }

    /**
     * C2's String.indexOf copies short strings to the stack below the frame, as much as they need. Meanwhile the frame's
     * sp is in rcx, then on top of the stack. Compiled code has no other use for an address so near.
     */
    private boolean trySavedSp(FrameCursor cursor, long sp) throws MemoryFault {
        long rcx = cursor.registers().get(Registers.RCX);
        if (isNearAbove(rcx, sp) && tryState(cursor, rcx, CompiledPrologue.State.COMPLETE)) {
            return true;
        }
        long word = cursor.stackWord(sp);
        return isNearAbove(word, sp) && tryState(cursor, word, CompiledPrologue.State.COMPLETE);
    }

    private static boolean isNearAbove(long word, long sp) {
        return word > sp && word <= sp + 8L * MAX_COPIED_WORDS && (word & 7) == 0;
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
        if (!vm.isReturnAddress(returnAddress, cursor.time())) {
            return false;
        }
        Registers registers = cursor.registers();
        if (tried == CompiledPrologue.State.COMPLETE || tried == CompiledPrologue.State.RBP_PUSHED) {
            registers.set(Registers.RBP, cursor.stackWord(returnAt - 8));
        }
        registers.retain(KEPT);
        cursor.moveTo(returnAddress, returnAt + 8);
        return true;
    }
}
