package mayfly.unwind;

import java.util.List;
import mayfly.process.Memory;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;

/**
 * Walks one stack: asks, at each frame, whose code it is, and lets that one step. Every walk ends in a verdict.
 *
 * <p>The walker knows no frame itself. What it adds is the order of asking, the limits, and the rule that a walk must
 * move towards the root.
 */
public final class Walker {
    /** A thread's stack is at most some hundred MiB; a frame has at least two words. This ends a walk in circles. */
    private static final int MAX_PHYSICAL_FRAMES = 1 << 20;

    private final NativeCode code;
    private final NativeStepper nativeStepper;
    private final ManagedRuntime[] runtimes;
    private final SampledStack stack;
    private final FrameCursor cursor;
    private @Nullable Registers kept;
    private boolean ended;

    /**
     * @param memory the target's memory; its caller makes it forget between epochs
     * @param live the same, not cached: the stack beyond what was copied is read from it
     * @param code the target's native code
     * @param runtimes the target's runtimes, asked in this order
     */
    public Walker(Memory memory, Memory live, NativeCode code, List<? extends ManagedRuntime> runtimes) {
        this.code = code;
        this.runtimes = runtimes.toArray(ManagedRuntime[]::new);
        this.stack = new SampledStack(live, code.architecture().pageSize());
        this.cursor = new FrameCursor(code.architecture(), memory, stack, code);
        this.nativeStepper = new NativeStepper(code, this::isManaged, this::isRuntime);
    }

    /** The stack that walks read; give it the sample's copy before each walk. */
    public SampledStack stack() {
        return stack;
    }

    /** Time has passed: what was read of the target must be confirmed before it is used again. */
    public void newEpoch(long nowNanos) {
        code.newEpoch();
        for (ManagedRuntime runtime : runtimes) {
            runtime.newEpoch(nowNanos);
        }
    }

    /**
     * Keeps the registers of each frame in this object while the frame is reported, for a sink that wants to see them;
     * null: no longer.
     */
    public void keepRegisters(@Nullable Registers in) {
        kept = in;
    }

    /** Ends the walk that is under way, from within its sink. It counts as truncated. */
    public void endWalk() {
        ended = true;
    }

    /**
     * Walks from the leaf to the root.
     *
     * @param at the thread's registers at the sample
     * @param timeNanos when that was, CLOCK_MONOTONIC
     * @param maxFrames report at most so many frames
     * @param sink is given the frames, leaf first
     */
    public WalkOutcome walk(Registers at, long timeNanos, int maxFrames, FrameSink sink) {
        cursor.start(at, timeNanos);
        return walk(maxFrames, sink);
    }

    /** As {@link #walk}, from a frame that called out: the program counter is a return address. */
    public WalkOutcome walkFromCall(Registers at, long timeNanos, int maxFrames, FrameSink sink) {
        cursor.start(at, timeNanos);
        cursor.moveTo(at.pc(), at.sp());
        return walk(maxFrames, sink);
    }

    /** The stack pointer of the frame where the last walk ended: of the thread's first one, if it is complete. */
    public long lastSp() {
        return cursor.registers().sp();
    }

    private WalkOutcome walk(int maxFrames, FrameSink sink) {
        Limited limited = new Limited(sink, maxFrames);
        ended = false;
        for (int i = 0; i < MAX_PHYSICAL_FRAMES; i++) {
            long pc = cursor.registers().pc();
            long sp = cursor.registers().sp();
            boolean wasTop = cursor.top();
            ManagedRuntime runtime = owner(pc);
            if (kept != null) {
                kept.copyFrom(cursor.registers());
            }
            Step step = runtime != null ? runtime.step(cursor, limited) : nativeStepper.step(cursor, limited);
            if (limited.left < 0 || ended) {
                return WalkOutcome.TRUNCATED;
            }
            WalkOutcome end = step.end();
            if (end != null) {
                return proven(end);
            }
            long next = cursor.registers().sp();
            // A handler may run on a stack of its own, so only what a signal interrupted may lie anywhere.
            if (next < sp && !cursor.exact() || next == sp && !wasTop && cursor.registers().pc() == pc) {
                return WalkOutcome.NO_PROGRESS;
            }
        }
        return WalkOutcome.NO_PROGRESS;
    }

    private WalkOutcome proven(WalkOutcome end) {
        if (end.isBroken()) {
            return stack.changed() ? WalkOutcome.STACK_CHANGED : end;
        }
        return stack.continuedLive() ? WalkOutcome.UNPROVEN : end;
    }

    private boolean isManaged(long pc) {
        return owner(pc) != null;
    }

    private boolean isRuntime(NativeModule module) {
        for (ManagedRuntime runtime : runtimes) {
            if (runtime.isLibrary(module.path(), module.start())) {
                return true;
            }
        }
        return false;
    }

    private @Nullable ManagedRuntime owner(long pc) {
        for (ManagedRuntime runtime : runtimes) {
            if (runtime.owns(pc)) {
                return runtime;
            }
        }
        return null;
    }

    /** Passes frames on until there have been enough. */
    private static final class Limited implements FrameSink {
        private final FrameSink sink;
        private int left;

        Limited(FrameSink sink, int left) {
            this.sink = sink;
            this.left = left;
        }

        @Override
        public void accept(Frame frame) {
            if (--left >= 0) {
                sink.accept(frame);
            }
        }
    }
}
