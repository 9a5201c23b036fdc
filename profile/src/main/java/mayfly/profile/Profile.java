package mayfly.profile;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A recording in memory. Stacks are nodes of one tree: each has a parent (its caller's stack) with a lower id, and a
 * frame; stack 0 has neither. Does not change once built.
 */
public final class Profile {
    private final Recording recording;
    private final List<Frame> frames;
    private final int[] stackParents;
    private final int[] stackFrames;
    private final List<SampledThread> threads;
    private final long[] nanos;
    private final int[] sampleThreads;
    private final int[] sampleStacks;
    private final long[] values;
    private final byte[] outcomes;
    private final Ledger ledger;
    private final List<String> warnings;

    private static final WalkOutcome[] OUTCOMES = WalkOutcome.values();

    Profile(Recording recording, List<Frame> frames, int[] stackParents, int[] stackFrames, List<SampledThread> threads,
            long[] nanos, int[] sampleThreads, int[] sampleStacks, long[] values, byte[] outcomes, Ledger ledger,
            List<String> warnings) {
        this.recording = recording;
        this.frames = Collections.unmodifiableList(frames);
        this.stackParents = stackParents;
        this.stackFrames = stackFrames;
        this.threads = List.copyOf(threads);
        this.nanos = nanos;
        this.sampleThreads = sampleThreads;
        this.sampleStacks = sampleStacks;
        this.values = values;
        this.outcomes = outcomes;
        this.ledger = ledger;
        this.warnings = List.copyOf(warnings);
    }

    public Recording recording() {
        return recording;
    }

    public List<Frame> frames() {
        return frames;
    }

    public List<SampledThread> threads() {
        return threads;
    }

    public Ledger ledger() {
        return ledger;
    }

    /** What was wrong with the file, in sentences. Empty for a whole one. */
    public List<String> warnings() {
        return warnings;
    }

    /** One more than the highest stack id. */
    public int stackCount() {
        return stackParents.length;
    }

    /** The caller's stack: lower than {@code stack}, 0 at the root. */
    public int parentOf(int stack) {
        return stackParents[stack];
    }

    /** Index into {@link #frames} of the stack's leaf-most frame. Stack 0 has none. */
    public int frameOf(int stack) {
        return stackFrames[stack];
    }

    public int sampleCount() {
        return nanos.length;
    }

    public long nanosOf(int sample) {
        return nanos[sample];
    }

    public int threadOf(int sample) {
        return sampleThreads[sample];
    }

    public int stackOf(int sample) {
        return sampleStacks[sample];
    }

    public long valueOf(int sample) {
        return values[sample];
    }

    public WalkOutcome outcomeOf(int sample) {
        return OUTCOMES[outcomes[sample]];
    }

    public Sample sample(int index) {
        return new Sample(nanos[index], sampleThreads[index], sampleStacks[index], values[index], outcomeOf(index));
    }

    /** The frames of a sample, root first. */
    public Stack stack(int sample) {
        var list = new ArrayList<Frame>();
        for (int stack = sampleStacks[sample]; stack != 0; stack = stackParents[stack]) {
            list.add(frames.get(stackFrames[stack]));
        }
        Collections.reverse(list);
        return new Stack(list, outcomeOf(sample));
    }
}
