package mayfly.unwind;

import java.util.List;
import mayfly.process.Memory;
import mayfly.process.Registers;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.FrameMonitor;
import mayfly.runtime.thread.MonitorState;
import org.jspecify.annotations.Nullable;

/**
 * The result of a walk. Its walker reuses it: it is valid until the next walk begins. A {@link StackVisitor} receives
 * it during the walk; it then describes the walk so far.
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
     * Returns the outcome of the walk.
     *
     * @throws IllegalStateException if the walk has not ended
     */
    public WalkOutcome outcome() {
        WalkOutcome end = outcome;
        if (end == null) {
            throw new IllegalStateException("the walk has not ended");
        }
        return end;
    }

    /**
     * Returns the known registers of the current frame or, after the walk, of the frame where it ended. They change
     * when the walk continues: copy them if they are needed later.
     */
    public Registers registers() {
        return cursor.registers();
    }

    /**
     * Returns the stack pointer of the frame where the walk ended: that of the thread's first frame if the walk is
     * complete.
     */
    public long stackEnd() {
        return cursor.registers().sp();
    }

    /**
     * Returns the monitors that the current frame has entered: see {@link ManagedRuntime#monitors}. Empty if the frame
     * is none of this runtime.
     *
     * @param state the monitors of the thread at the moment of the snapshot
     */
    public List<FrameMonitor> monitors(ManagedRuntime runtime, MonitorState state) {
        return runtime.owns(cursor.registers().pc()) ? runtime.monitors(cursor, state) : List.of();
    }

    /** Returns the thread's stack, as read by the walk. */
    public Memory stack() {
        return stack;
    }

    /** Returns true if the walk tried to read beyond the copied and saved words of the stack. */
    public boolean wentBeyond() {
        return stack.wentBeyond();
    }

    /**
     * Returns true if the walk used words beyond the copied and saved ones. They were read later, so they may belong to
     * another call, or to another thread.
     */
    public boolean continuedLive() {
        return stack.continuedLive();
    }

    /** Returns true if the walk tried to read beyond the copied and saved words and found the stack changed. */
    public boolean changed() {
        return stack.changed();
    }

    /**
     * Continues this walk at an outer frame, which has made a call. The words of the stack read so far remain valid.
     *
     * @param caller the registers of that frame
     * @param maxFrames upper bound on the frames from there, beyond which the walk is truncated
     * @param visitor receives the frames, leaf first
     * @return this object
     */
    public WalkResult resume(Registers caller, int maxFrames, StackVisitor visitor) {
        return walker.resume(caller, maxFrames, visitor);
    }
}
