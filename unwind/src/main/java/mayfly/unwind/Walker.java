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
 * Walks one stack. For each frame it finds the owner of the code, a runtime or the stepper for native code, which steps
 * to the caller. Every walk ends with an outcome.
 *
 * <p>The walker does not decode frames. It enforces the order of the owners, the limits, and the rule that a walk must
 * move towards the root.
 */
public final class Walker {
    /**
     * Upper bound on the physical frames, which ends a cyclic walk. A thread's stack has at most a few hundred MiB; a
     * frame has at least two words.
     */
    private static final int MAX_PHYSICAL_FRAMES = 1 << 20;

    private static final FrameSink NOWHERE = frame -> {};

    private final NativeCode code;
    private final NativeStepper nativeStepper;
    private final ManagedRuntime[] runtimes;
    private final SampledStack stack;
    private final FrameCursor cursor;
    private final InterposedCode interposed;
    private final WalkResult result;
    private final Limited limited = new Limited();

    /**
     * @param memory the target's memory; the caller discards its cached pages between epochs
     * @param live the same memory without a cache, from which the stack beyond the copied part is read
     * @param code the target's native code
     * @param runtimes the target's runtimes, queried in this order
     */
    public Walker(Memory memory, Memory live, NativeCode code, List<? extends ManagedRuntime> runtimes) {
        this.code = code;
        this.runtimes = runtimes.toArray(ManagedRuntime[]::new);
        this.interposed = new InterposedCode(this.runtimes);
        this.stack = new SampledStack(live, code.architecture().pageSize());
        this.cursor = new FrameCursor(code.architecture(), memory, stack, code);
        this.result = new WalkResult(this, stack, cursor);
        this.nativeStepper = new NativeStepper(code, this::isManaged, this::isRuntime);
    }

    /**
     * Begins a new epoch: cached data on the target must be confirmed before it is used again.
     *
     * @param nowNanos CLOCK_MONOTONIC, ns
     */
    public void newEpoch(long nowNanos) {
        code.newEpoch();
        for (ManagedRuntime runtime : runtimes) {
            runtime.newEpoch(nowNanos);
        }
        interposed.refresh();
    }

    /**
     * Walks from a snapshot's frame to the root. Walks do not nest: a visitor must not start one.
     *
     * @param snapshot the thread's registers and stack, and the limit
     * @param visitor receives the frames, leaf first
     * @return this walker's result, valid until its next walk
     */
    public WalkResult walk(StackSnapshot snapshot, StackVisitor visitor) {
        stack.reset(snapshot.words(), snapshot.count(), snapshot.base());
        cursor.start(snapshot.registers(), snapshot.timeNanos());
        if (snapshot.atCall()) {
            cursor.moveTo(snapshot.registers().pc(), snapshot.registers().sp());
        }
        return run(snapshot.maxFrames(), visitor);
    }

    WalkResult resume(Registers caller, int maxFrames, StackVisitor visitor) {
        cursor.start(caller, cursor.time());
        cursor.moveTo(caller.pc(), caller.sp());
        return run(maxFrames, visitor);
    }

    private WalkResult run(int maxFrames, StackVisitor visitor) {
        result.begin();
        limited.begin(visitor, maxFrames);
        return result.end(steps(visitor));
    }

    private WalkOutcome steps(StackVisitor visitor) {
        for (int i = 0; i < MAX_PHYSICAL_FRAMES; i++) {
            if (!visitor.enter(result)) {
                return WalkOutcome.TRUNCATED;
            }
            long pc = cursor.registers().pc();
            long sp = cursor.registers().sp();
            boolean wasTop = cursor.top();
            ManagedRuntime runtime = owner(pc);
            Step step = runtime != null ? runtime.step(cursor, limited) : nativeStep();
            if (limited.left < 0) {
                return WalkOutcome.TRUNCATED;
            }
            WalkOutcome end = step.end();
            if (end != null) {
                return proven(end);
            }
            long next = cursor.registers().sp();
            // A signal handler may run on a separate stack, so an interrupted frame may be at a lower address.
            if (next < sp && !cursor.exact()
                    || next == sp && !wasTop && cursor.registers().pc() == pc) {
                return WalkOutcome.NO_PROGRESS;
            }
        }
        return WalkOutcome.NO_PROGRESS;
    }

    private Step nativeStep() {
        long pc = cursor.registers().pc();
        ManagedRuntime evaluator = interposed.ownerAt(cursor.exact() ? pc : pc - 1);
        boolean isReplaced = evaluator != null && evaluator.interpose(cursor, nativeStepper.frameEnd(cursor), limited);
        return nativeStepper.step(cursor, isReplaced ? NOWHERE : limited);
    }

    private WalkOutcome proven(WalkOutcome end) {
        if (end.isBroken() && stack.changed()) {
            return WalkOutcome.STACK_CHANGED;
        }
        if (end.isBroken()) {
            return stack.vanished() ? WalkOutcome.STACK_UNREADABLE : end;
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

    /** Forwards frames up to a limit. Reused by each walk. */
    private static final class Limited implements FrameSink {
        private FrameSink sink = frame -> {};
        private int left;

        void begin(FrameSink to, int most) {
            sink = to;
            left = most;
        }

        @Override
        public void accept(Frame frame) {
            if (--left >= 0) {
                sink.accept(frame);
            }
        }
    }
}
