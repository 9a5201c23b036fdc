package mayfly.record;

import java.util.BitSet;
import mayfly.linux.sys.KernelClock;
import mayfly.process.Registers;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.StackTable;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureWriter;
import mayfly.record.event.RecordingEvent;
import mayfly.record.event.SampleSink;
import mayfly.unwind.BoundedStack;
import mayfly.unwind.StackSnapshot;
import mayfly.unwind.StackVisitor;
import mayfly.unwind.WalkResult;

/**
 * Converts each sample to frames, a stack, and a record of the capture. This is the path of every sample; it does not
 * allocate for frames and stacks seen before.
 */
final class Recorder implements StackVisitor, SampleSink {
    /** Upper bound on the frames of a stack. The middle of a deeper stack is left out. */
    static final int MAX_FRAMES = 8192;
    /**
     * Upper bound on the frames of a walk to the root: several times the number of compiled frames of usual size on a
     * stack of 1 MiB, the default for Java threads.
     */
    static final int MAX_WALKED = 1 << 16;
    /**
     * Walks of stacks deeper than {@link #MAX_FRAMES} to their roots may use the recording's time divided by this
     * number.
     */
    private static final int DEEP_PART = 4;
    /** The factor by which this share is larger for threads with an unknown root. */
    private static final int UNKNOWN_ROOT_FACTOR = 2;

    private static final long FIRST_DEEP_NANOS = 250_000_000;
    /** Upper bound on the frames of a walk from a known frame to the root. */
    private static final int MAX_TO_KNOWN_ROOT = 1024;
    /** The id of the one event that a recording has. */
    private static final int EVENT = 0;

    private static final Frame MARK = new Frame.Omitted(0);

    private final RecordedTarget target;
    private final RecordingEvent event;
    private final CaptureWriter writer;
    private final ThreadNames threads;
    private final Ledger.Builder ledger;
    private final StackTable stacks = new StackTable();
    private final KernelFrames kernel;
    private final BoundedStack<Frame> frames = new BoundedStack<>(new Frame[256], MAX_FRAMES);
    private final long startNanos = System.nanoTime();
    /** CPU time that this thread has used for walks beyond {@link #MAX_FRAMES}. */
    private long deepNanos;

    private long deepSince;
    private boolean deep;
    private final KnownRoots roots;
    private final Registers current;
    private long samples;
    private long stale;
    private long inferredLeaves;
    /** The stored stacks whose leaf method is uncertain. */
    private final BitSet uncertainLeaves = new BitSet();

    private long lastBeyond = Long.MIN_VALUE / 2;
    private final CurrentWalk walk = new CurrentWalk(frames);

    Recorder(
            RecordedTarget target,
            RecordingEvent event,
            CaptureWriter writer,
            ThreadNames threads,
            Ledger.Builder ledger,
            KernelFrames kernel) {
        this.target = target;
        this.event = event;
        this.roots = new KnownRoots(target.architecture());
        this.current = new Registers(target.architecture());
        this.writer = writer;
        this.threads = threads;
        this.ledger = ledger;
        this.kernel = kernel;
    }

    @Override
    public boolean enter(WalkResult under) {
        walk.enter(under);
        if (deep) {
            current.copyFrom(under.registers());
        }
        return true;
    }

    @Override
    public void accept(Frame frame) {
        walk.accept(frame);
        frames.add(frame);
        if (deep) {
            roots.at(current);
        } else if (frames.omitted() > 0) {
            deep = true;
            deepSince = KernelClock.THREAD_CPU.nanos();
            roots.begin();
            current.clear();
        }
    }

    @Override
    public void begin() {
        frames.clear();
    }

    @Override
    public void kernelFrame(long address) {
        accept(kernel.frame(address));
    }

    @Override
    public SampleSink.Walk walk(int tid, long time, Registers registers, StackSnapshot.Words words, int count) {
        boolean toTheRoot = mayWalkToTheRoot(tid);
        return walk(tid, StackSnapshot.of(registers, words, count, time, mostFrames(toTheRoot)), toTheRoot);
    }

    @Override
    public SampleSink.Walk continueAt(
            int tid, long time, Registers managed, StackSnapshot.Words words, int count, long stackPointer) {
        boolean toTheRoot = mayWalkToTheRoot(tid);
        return walk(
                tid,
                new StackSnapshot(managed, true, words, count, stackPointer, time, mostFrames(toTheRoot)),
                toTheRoot);
    }

    private boolean mayWalkToTheRoot(int tid) {
        long budget = FIRST_DEEP_NANOS + (System.nanoTime() - startNanos) / DEEP_PART;
        return deepNanos < (roots.knows(tid) ? budget : UNKNOWN_ROOT_FACTOR * budget);
    }

    private static int mostFrames(boolean toTheRoot) {
        return toTheRoot ? MAX_WALKED : MAX_FRAMES;
    }

    private SampleSink.Walk walk(int tid, StackSnapshot snapshot, boolean toTheRoot) {
        walk.begin();
        long time = snapshot.timeNanos();
        WalkResult result = target.walkerAt(time).walk(snapshot, this);
        WalkOutcome outcome = rooted(tid, result, toTheRoot);
        long stackEnd = result.stackEnd();
        if (outcome.isBroken() && needsMemory(outcome) && target.isEnded()) {
            outcome = WalkOutcome.TARGET_ENDED;
        }
        if (result.continuedLive()) {
            ledger.addContinuedStacks(1);
        }
        if (result.wentBeyond()) {
            lastBeyond = time;
            outcome = confirmed(outcome, tid, time);
        }
        return walk.end(outcome, stackEnd);
    }

    /** Returns the outcome of a walk. A walk with too many frames is continued near the root. */
    private WalkOutcome rooted(int tid, WalkResult result, boolean toTheRoot) {
        WalkOutcome outcome = result.outcome();
        boolean live = result.continuedLive();
        if (outcome == WalkOutcome.TRUNCATED) {
            outcome = skipToRoot(tid, result, toTheRoot ? WalkOutcome.TRUNCATED : WalkOutcome.ROOT_NOT_WALKED);
        } else if (deep && !outcome.isBroken()) {
            roots.reached(tid, result.stack());
            outcome = live ? outcome : WalkOutcome.SHORTENED;
        }
        if (deep) {
            deep = false;
            deepNanos += KernelClock.THREAD_CPU.nanos() - deepSince;
        }
        return outcome;
    }

    /**
     * Continues a walk at a frame near the thread's root that an earlier walk has found, if that frame is still on the
     * stack.
     */
    private WalkOutcome skipToRoot(int tid, WalkResult result, WalkOutcome otherwise) {
        Registers near = roots.find(tid, result.stackEnd(), result.stack());
        if (near == null) {
            return otherwise;
        }
        frames.skip();
        int leafPart = frames.size();
        WalkOutcome outcome = result.resume(near, MAX_TO_KNOWN_ROOT, this).outcome();
        if (outcome != WalkOutcome.COMPLETE && outcome != WalkOutcome.UNPROVEN) {
            frames.keepFirst(leafPart);
            return otherwise;
        }
        return WalkOutcome.UNPROVEN;
    }

    /**
     * Returns the outcome of a walk that needed live memory. Once the thread has ended, its stack may belong to
     * another thread; this is checked after the walk, so that the result covers everything read. Frames found in live
     * memory are dropped unless they lead to a root: if they are inconsistent, none of them is reliable.
     */
    private WalkOutcome confirmed(WalkOutcome outcome, int tid, long time) {
        WalkOutcome confirmed = outcome == WalkOutcome.TARGET_ENDED || target.isStillRunning(tid, time)
                ? outcome
                : WalkOutcome.THREAD_GONE;
        if (confirmed.isBroken() || confirmed == WalkOutcome.TRUNCATED) {
            walk.dropUncertain();
        }
        return confirmed;
    }

    /** Returns true if a walk may also end with this outcome because nothing of the target can be read. */
    private static boolean needsMemory(WalkOutcome outcome) {
        return switch (outcome) {
            case STACK_UNREADABLE,
                    STACK_CHANGED,
                    UNKNOWN_CODE,
                    STALE_CODE,
                    IMPLAUSIBLE_RETURN_ADDRESS,
                    BAD_INTERPRETER_FRAME,
                    BAD_METADATA -> true;
            default -> false;
        };
    }

    @Override
    public void write(int tid, long time, long value, WalkOutcome outcome) throws CaptureWriteException {
        int stack = stack();
        writer.sample(EVENT, time, threads.index(tid, time), stack, value, outcome);
        inferredLeaves += hasUncertainLeaf() ? 1 : 0;
        count(value, outcome);
    }

    @Override
    public void write(int tid, long time, long[] values, WalkOutcome outcome) throws CaptureWriteException {
        write(tid, time, values, outcome, keep());
    }

    @Override
    public int keep() throws CaptureWriteException {
        int stack = stack();
        uncertainLeaves.set(stack, hasUncertainLeaf());
        return stack;
    }

    @Override
    public void write(int tid, long time, long[] values, WalkOutcome outcome, int stack) throws CaptureWriteException {
        writer.sample(EVENT, time, threads.index(tid, time), stack, values, outcome);
        inferredLeaves += uncertainLeaves.get(stack) ? 1 : 0;
        count(values[0], outcome);
    }

    /** Writes the stack of the frames added so far. Returns its id. */
    private int stack() throws CaptureWriteException {
        frames.close(MARK);
        int stack = stacks.intern(frames.frames(), frames.size());
        writer.append(stacks);
        return stack;
    }

    private void count(long value, WalkOutcome outcome) {
        ledger.sample(outcome, event.nanos(value));
        samples++;
        stale += outcome == WalkOutcome.STALE_CODE ? 1 : 0;
    }

    private boolean hasUncertainLeaf() {
        return frames.size() > 0
                && frames.frames()[0] instanceof Frame.Managed leaf
                && leaf.certainty() != Frame.Certainty.CERTAIN;
    }

    @Override
    public int word(String text) throws CaptureWriteException {
        return writer.word(text);
    }

    @Override
    public void renamed(int tid, String name, long time) throws CaptureWriteException {
        threads.renamed(tid, name, time);
    }

    @Override
    public void born(int parent, int tid, long time) {
        threads.born(parent, tid, time);
    }

    /** Sets the Java names of threads: see {@link ThreadNames#nameByRuntime}. */
    void nameThreads(long now, boolean all) throws CaptureWriteException {
        threads.nameByRuntime(now, all);
    }

    /** Returns the time of the last sample whose stack exceeded the copied and saved parts, CLOCK_MONOTONIC in ns. */
    long lastBeyond() {
        return lastBeyond;
    }

    /** Returns the number of samples that could not be walked because code was freed or replaced before the walk. */
    long stale() {
        return stale;
    }

    /** Returns the number of samples whose leaf method is uncertain because of missing debug information. */
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
