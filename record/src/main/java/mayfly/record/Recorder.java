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
 * Converts each sample of an event to frames, a stack, and a record of the capture. This is the path of every sample;
 * it does not allocate for frames and stacks seen before.
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

    private static final Frame MARK = new Frame.Omitted(0);

    /**
     * The parts that the recorders of all events share.
     *
     * @param stacks the frames and stacks of the capture
     * @param deepWalks the time that they have used for walks beyond {@link #MAX_FRAMES}
     */
    record Shared(
            RecordedTarget target,
            CaptureWriter writer,
            ThreadNames threads,
            StackTable stacks,
            KernelFrames kernel,
            DeepWalks deepWalks) {
        Shared(RecordedTarget target, CaptureWriter writer, ThreadNames threads, KernelFrames kernel) {
            this(target, writer, threads, new StackTable(), kernel, new DeepWalks());
        }
    }

    /** The CPU time that the recording thread has used for walks beyond {@link #MAX_FRAMES}. */
    static final class DeepWalks {
        private final long startNanos = System.nanoTime();
        private long nanos;

        /** Returns true if there is time left for a walk. */
        boolean isAllowed(boolean knowsRoot) {
            long budget = FIRST_DEEP_NANOS + (System.nanoTime() - startNanos) / DEEP_PART;
            return nanos < (knowsRoot ? budget : UNKNOWN_ROOT_FACTOR * budget);
        }
    }

    private final RecordedTarget target;
    private final RecordingEvent event;
    /** The id of the event in the capture. */
    private final int id;

    private final CaptureWriter writer;
    private final ThreadNames threads;
    private final Ledger.Builder ledger;
    private final StackTable stacks;
    private final KernelFrames kernel;
    private final BoundedStack<Frame> frames = new BoundedStack<>(new Frame[256], MAX_FRAMES);
    private final DeepWalks deepWalks;
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

    /** @param id the index of the event in the recording */
    Recorder(Shared shared, RecordingEvent event, int id, Ledger.Builder ledger) {
        this.target = shared.target();
        this.event = event;
        this.id = id;
        this.roots = new KnownRoots(target.architecture());
        this.current = new Registers(target.architecture());
        this.writer = shared.writer();
        this.threads = shared.threads();
        this.ledger = ledger;
        this.stacks = shared.stacks();
        this.kernel = shared.kernel();
        this.deepWalks = shared.deepWalks();
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
        return deepWalks.isAllowed(roots.knows(tid));
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
            deepWalks.nanos += KernelClock.THREAD_CPU.nanos() - deepSince;
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
        writer.sample(id, time, threads.index(tid, time), stack, value, outcome);
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
        writer.sample(id, time, threads.index(tid, time), stack, values, outcome);
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

    RecordingEvent event() {
        return event;
    }

    /** Returns the account of the samples. */
    Ledger.Builder ledger() {
        return ledger;
    }
}
