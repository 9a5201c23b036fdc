package mayfly.record;

import mayfly.discovery.Target;
import mayfly.linux.sys.KernelClock;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.StackTable;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureWriteException;
import mayfly.profile.capture.CaptureWriter;
import mayfly.runtime.FrameSink;
import mayfly.unwind.BoundedStack;
import mayfly.unwind.SampledStack;

/**
 * Turns one sample after the other into frames, a stack, and a record of the capture. The path of every sample: nothing
 * is allocated on it for what was seen before.
 */
final class Recorder implements FrameSink {
    /** Of a deeper stack the middle is left out. */
    static final int MAX_FRAMES = 8192;
    /**
     * A walk goes so far to reach the root: some times more than a stack of 1 MiB, the default for Java threads, has in
     * compiled frames of usual size.
     */
    static final int MOST_WALKED = 1 << 16;
    /** Beyond {@link #MAX_FRAMES}, stacks are walked to their roots in this part of the time. */
    private static final int DEEP_PART = 4;
    /** Walks of threads whose root is not known yet may use this many times as much. */
    private static final int UNKNOWN_ROOT_FACTOR = 2;
    private static final long FIRST_DEEP_NANOS = 250_000_000;
    /** A walk from a known frame to the root has no more frames than this. */
    private static final int MOST_TO_KNOWN_ROOT = 1024;
    /** The id of the one event that a recording has. */
    private static final int EVENT = 0;
    private static final Frame MARK = new Frame.Omitted(0);

    private final Target target;
    private final CaptureWriter writer;
    private final ThreadNames threads;
    private final Ledger.Builder ledger;
    private final StackTable stacks = new StackTable();
    private final KernelFrames kernel;
    private final BoundedStack<Frame> frames = new BoundedStack<>(new Frame[256], MAX_FRAMES);
    private final long startNanos = System.nanoTime();
    /** CPU time that this thread has used to walk beyond {@link #MAX_FRAMES}. */
    private long deepNanos;
    private long deepSince;
    private boolean deep;
    private final KnownRoots roots = new KnownRoots();
    private final Registers current = new Registers();
    private long samples;
    private long stale;
    private long inferredLeaves;
    private long lastBeyond = Long.MIN_VALUE / 2;
    private SampledStack stack;
    /** Frames that were there before the walk. */
    private int unwalked;
    /** Frames of the walk under way that were found without live memory. */
    private int certain;

    Recorder(Target target, CaptureWriter writer, ThreadNames threads, Ledger.Builder ledger, KernelFrames kernel) {
        this.target = target;
        this.stack = target.walker().stack();
        this.writer = writer;
        this.threads = threads;
        this.ledger = ledger;
        this.kernel = kernel;
    }

    @Override
    public void accept(Frame frame) {
        certain += stack.continuedLive() ? 0 : 1;
        frames.add(frame);
        if (deep) {
            roots.at(current);
        } else if (frames.omitted() > 0) {
            deep = true;
            deepSince = KernelClock.THREAD_CPU.nanos();
            roots.begin();
            current.clear();
            target.walker().keepRegisters(current);
        }
    }

    /** Begins a sample. Kernel frames, if there are any, follow at once. */
    void begin() {
        frames.clear();
    }

    /** Adds a kernel frame, innermost first. */
    void kernelFrame(long address) {
        accept(kernel.frame(address));
    }

    /** Walks from the registers. */
    WalkOutcome walk(int tid, long time, Registers registers, SampledStack.Words words, int count) {
        unwalked = frames.size();
        stack = target.walker().stack();
        stack.reset(words, count, registers.sp());
        certain = frames.size();
        WalkOutcome outcome = walked(tid, registers, time);
        if (outcome.isBroken() && needsMemory(outcome) && target.isEnded()) {
            outcome = WalkOutcome.TARGET_ENDED;
        }
        if (stack.continuedLive()) {
            ledger.addContinuedStacks(1);
        }
        if (stack.wentBeyond()) {
            lastBeyond = time;
            outcome = confirmed(outcome, tid, time);
        }
        return outcome;
    }

    /** Drops what the walk has found. Kernel frames stay. */
    void dropWalk() {
        frames.keepFirst(unwalked);
    }

    private WalkOutcome walked(int tid, Registers registers, long time) {
        long budget = FIRST_DEEP_NANOS + (System.nanoTime() - startNanos) / DEEP_PART;
        boolean toTheRoot = deepNanos < (roots.knows(tid) ? budget : UNKNOWN_ROOT_FACTOR * budget);
        WalkOutcome outcome = target.walker().walk(registers, time, toTheRoot ? MOST_WALKED : MAX_FRAMES, this);
        boolean live = stack.continuedLive();
        if (outcome == WalkOutcome.TRUNCATED) {
            outcome = skipToRoot(tid, time, toTheRoot ? WalkOutcome.TRUNCATED : WalkOutcome.ROOT_NOT_WALKED);
        } else if (deep && !outcome.isBroken()) {
            roots.reached(tid, stack);
            outcome = live ? outcome : WalkOutcome.SHORTENED;
        }
        if (deep) {
            deep = false;
            target.walker().keepRegisters(null);
            deepNanos += KernelClock.THREAD_CPU.nanos() - deepSince;
        }
        return outcome;
    }

    /** Goes on from where an earlier walk has found a frame near the thread's root, if that is still there. */
    private WalkOutcome skipToRoot(int tid, long time, WalkOutcome otherwise) {
        Registers near = roots.find(tid, target.walker().lastSp(), stack);
        if (near == null) {
            return otherwise;
        }
        frames.skip();
        int leafPart = frames.size();
        WalkOutcome outcome = target.walker().walkFromCall(near, time, MOST_TO_KNOWN_ROOT, this);
        if (outcome != WalkOutcome.COMPLETE && outcome != WalkOutcome.UNPROVEN) {
            frames.keepFirst(leafPart);
            return otherwise;
        }
        return WalkOutcome.UNPROVEN;
    }

    /**
     * The outcome of a walk that wanted live memory. Once the thread has ended, its stack may be another thread's. That
     * is asked after the walk, so that it holds for all that was read. Frames that were found in live memory are dropped
     * unless they lead to a root: where they contradict each other, nothing is known of any of them.
     */
    private WalkOutcome confirmed(WalkOutcome outcome, int tid, long time) {
        WalkOutcome confirmed = outcome == WalkOutcome.TARGET_ENDED || target.process().isStillRunning(tid, time)
                ? outcome : WalkOutcome.THREAD_GONE;
        if (confirmed.isBroken() || confirmed == WalkOutcome.TRUNCATED) {
            frames.keepFirst(certain);
        }
        return confirmed;
    }

    /** Whether a walk ends so, also, if nothing of the target can be read. */
    private static boolean needsMemory(WalkOutcome outcome) {
        return switch (outcome) {
            case STACK_UNREADABLE, STACK_CHANGED, UNKNOWN_CODE, STALE_CODE, IMPLAUSIBLE_RETURN_ADDRESS,
                    BAD_INTERPRETER_FRAME, BAD_METADATA -> true;
            default -> false;
        };
    }

    /** Writes a sample with the frames it has so far. */
    void write(int tid, long time, long value, WalkOutcome outcome) throws CaptureWriteException {
        frames.close(MARK);
        int stack = stacks.intern(frames.frames(), frames.size());
        writer.append(stacks);
        writer.sample(EVENT, time, threads.index(tid, time), stack, value, outcome);
        ledger.sample(outcome, value);
        inferredLeaves += frames.size() > 0 && frames.frames()[0] instanceof Frame.Managed leaf
                && leaf.certainty() != Frame.Certainty.CERTAIN ? 1 : 0;
        samples++;
        stale += outcome == WalkOutcome.STALE_CODE ? 1 : 0;
    }

    /** Gives threads their Java names: see {@link ThreadNames#nameByRuntime}. */
    void nameThreads(long now, boolean all) throws CaptureWriteException {
        threads.nameByRuntime(now, all);
    }

    /** When a stack was sampled last that is larger than what was copied and saved of it, CLOCK_MONOTONIC in ns. */
    long lastBeyond() {
        return lastBeyond;
    }

    /** Samples that could not be walked because code was freed or replaced before. */
    long stale() {
        return stale;
    }

    /** Samples whose leaf method is not certain, for lack of debug information. */
    long inferredLeaves() {
        return inferredLeaves;
    }

    long samples() {
        return samples;
    }

    KernelFrames kernel() {
        return kernel;
    }

    StackTable stacks() {
        return stacks;
    }
}
