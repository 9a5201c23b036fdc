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
 * Walks one stack: for each frame, finds the owner of the code, which then steps to the caller. Every walk ends with an
 * outcome.
 *
 * <p>The walker does not decode frames itself. It defines the order of the owners, the limits, and the rule that a walk
 * must move towards the root.
 */
public final class Walker {
    /**
     * Upper bound on the physical frames, which ends a cyclic walk. A thread's stack has at most a few hundred MiB; a
     * frame has at least two words.
     */
    private static final int MAX_PHYSICAL_FRAMES = 1 << 20;

    private final NativeCode code;
    private final NativeStepper nativeStepper;
    private final ManagedRuntime[] runtimes;
    private final SampledStack stack;
    private final FrameCursor cursor;
    private @Nullable Registers kept;
    private boolean ended;

    /**
     * @param memory the target's memory; the caller discards its cached pages between epochs
     * @param live the same, not cached: the stack beyond the copied part is read from it
     * @param code the target's native code
     * @param runtimes the target's runtimes, queried in this order
     */
    public Walker(Memory memory, Memory live, NativeCode code, List<? extends ManagedRuntime> runtimes) {
        this.code = code;
        this.runtimes = runtimes.toArray(ManagedRuntime[]::new);
        this.stack = new SampledStack(live);
        this.cursor = new FrameCursor(memory, stack, code);
        this.nativeStepper = new NativeStepper(code, this::isManaged, this::isRuntime);
    }

    /** Returns the stack that walks read. Set the sample's copy on it before each walk. */
    public SampledStack stack() {
        return stack;
    }

    /** Begins a new epoch: cached data of the target must be confirmed before its next use. */
    public void newEpoch(long nowNanos) {
        code.newEpoch();
        for (ManagedRuntime runtime : runtimes) {
            runtime.newEpoch(nowNanos);
        }
    }

    /**
     * Stores the registers of each frame in this object while the frame is reported, for a sink that needs them; null
     * stops that.
     */
    public void keepRegisters(@Nullable Registers in) {
        kept = in;
    }

    /** Ends the current walk, from within its sink. It counts as truncated. */
    public void endWalk() {
        ended = true;
    }

    /**
     * Walks from the leaf to the root.
     *
     * @param at the thread's registers at the sample
     * @param timeNanos the time of the sample, CLOCK_MONOTONIC
     * @param maxFrames the maximum number of frames reported
     * @param sink receives the frames, leaf first
     */
    public WalkOutcome walk(Registers at, long timeNanos, int maxFrames, FrameSink sink) {
        cursor.start(at, timeNanos);
        return walk(maxFrames, sink);
    }

    /** Walks as {@link #walk} does, from a frame that called out: the program counter is a return address. */
    public WalkOutcome walkFromCall(Registers at, long timeNanos, int maxFrames, FrameSink sink) {
        cursor.start(at, timeNanos);
        cursor.moveTo(at.pc(), at.sp());
        return walk(maxFrames, sink);
    }

    /**
     * Returns the stack pointer of the frame where the last walk ended; for a complete walk, that of the thread's first
     * frame.
     */
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
            // A signal handler may run on a separate stack, so only the frame that a signal interrupted may be at any
            // address.
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

    /** Passes frames on up to a limit. */
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
