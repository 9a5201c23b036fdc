package mayfly.unwind;

import mayfly.process.Memory;
import mayfly.process.Registers;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.FrameCursor;
import org.jspecify.annotations.Nullable;

/**
 * How a walk went. Its walker uses it again: it is valid until the next walk begins. A {@link StackVisitor} sees it
 * while the walk goes on; then it describes the walk so far.
 */
public final class WalkResult {
    private final Walker walker;
    private final SampledStack stack;
    private final FrameCursor cursor;
    private @Nullable WalkOutcome outcome;

    WalkResult(Walker walker, SampledStack stack, FrameCursor cursor) {
        this.walker = walker;
        this.stack = stack;
        this.cursor = cursor;
    }

    void begin() {
        outcome = null;
    }

    WalkResult end(WalkOutcome end) {
        outcome = end;
        return this;
    }

    /**
     * How the walk ended.
     *
     * @throws IllegalStateException if it goes on
     */
    public WalkOutcome outcome() {
        WalkOutcome end = outcome;
        if (end == null) {
            throw new IllegalStateException("the walk goes on");
        }
        return end;
    }

    /**
     * The registers of the frame that the walk is at, as far as they are known; once it has ended, of the frame where it
     * ended. They change when the walk goes on: copy what is to be kept.
     */
    public Registers registers() {
        return cursor.registers();
    }

    /** The stack pointer of the frame where the walk ended: of the thread's first frame, if the walk is complete. */
    public long stackEnd() {
        return cursor.registers().sp();
    }

    /** The thread's stack, as the walk has read it. */
    public Memory stack() {
        return stack;
    }

    /** Whether the walk wanted to read beyond what was copied and saved of the stack. */
    public boolean wentBeyond() {
        return stack.wentBeyond();
    }

    /**
     * Whether the walk has used words from beyond what was copied and saved of the stack. They were read later, so that
     * they may belong to another call, or to another thread.
     */
    public boolean continuedLive() {
        return stack.continuedLive();
    }

    /** Whether the walk wanted to read beyond that and found that the stack had changed. */
    public boolean changed() {
        return stack.changed();
    }

    /**
     * Continues this walk at an outer frame that has called out. What the walk has read of the stack so far still
     * counts.
     *
     * @param caller the registers of that frame
     * @param maxFrames a walk of more frames from there is truncated
     * @return this object
     */
    public WalkResult resume(Registers caller, int maxFrames, StackVisitor visitor) {
        return walker.resume(caller, maxFrames, visitor);
    }
}
