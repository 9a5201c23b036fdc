package mayfly.profile;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import mayfly.profile.column.IntColumn;

/**
 * One event of a recording in memory: all samples are of {@link #event}. Stacks are nodes of one tree: each has a
 * parent (its caller's stack) with a lower id, and a frame; stack 0 has neither. Immutable. {@link Detail} defines how
 * samples are kept.
 */
public final class Profile {
    private final Recording recording;
    private final int event;
    private final List<Frame> frames;
    private final IntColumn stackParents;
    private final IntColumn stackFrames;
    private final List<RecordedLibrary> libraries;
    private final List<SampledThread> threads;
    private final Samples samples;
    private final boolean sameValues;
    private final Ledger ledger;
    private final List<String> warnings;

    private static final WalkOutcome[] OUTCOMES = WalkOutcome.values();

    /** @param event the index of the samples' event in the recording */
    public Profile(
            Recording recording,
            int event,
            List<Frame> frames,
            IntColumn stackParents,
            IntColumn stackFrames,
            List<RecordedLibrary> libraries,
            List<SampledThread> threads,
            Samples samples,
            boolean sameValues,
            Ledger ledger,
            List<String> warnings) {
        this.recording = recording;
        this.event = event;
        this.frames = Collections.unmodifiableList(frames);
        this.stackParents = stackParents;
        this.stackFrames = stackFrames;
        this.libraries = List.copyOf(libraries);
        this.threads = List.copyOf(threads);
        this.samples = samples;
        this.sameValues = sameValues;
        this.ledger = ledger;
        this.warnings = List.copyOf(warnings);
    }

    public Recording recording() {
        return recording;
    }

    /** Returns the event of all samples. */
    public SampledEvent event() {
        return recording.events().get(event);
    }

    /** Returns the recording without its other events. */
    public Recording recordingOfEvent() {
        return recording.of(event());
    }

    public List<Frame> frames() {
        return frames;
    }

    /** Returns the libraries that contain native frames. */
    public List<RecordedLibrary> libraries() {
        return libraries;
    }

    public List<SampledThread> threads() {
        return threads;
    }

    public Ledger ledger() {
        return ledger;
    }

    /** Returns the problems of the file, in sentences. Empty for a complete one. */
    public List<String> warnings() {
        return warnings;
    }

    /** Returns the highest stack id plus one. */
    public int stackCount() {
        return stackFrames.size();
    }

    /** Returns the caller's stack: lower than {@code stack}, 0 at the root. Undefined for stack 0. */
    public int parentOf(int stack) {
        return stackParents.get(stack);
    }

    /** Returns the index in {@link #frames} of the stack's leaf-most frame. Undefined for stack 0. */
    public int frameOf(int stack) {
        return stackFrames.get(stack);
    }

    /**
     * Returns true if samples of the same stack, thread and outcome are combined. All methods then treat such a sum as
     * one sample: it has no time, and its value is the sum of all values, where a negative value counts as 0.
     */
    public boolean isSummed() {
        return samples.isSummed();
    }

    /**
     * Returns the profile with samples of the same stack, thread and outcome combined, in the order of the first sample
     * of each sum.
     *
     * @param byThread true if threads are kept apart; if false, every sum has thread 0
     */
    public Profile summed(boolean byThread) {
        return isSummed() && byThread
                ? this
                : new Profile(
                        recording,
                        event,
                        frames,
                        stackParents,
                        stackFrames,
                        libraries,
                        threads,
                        samples.added(byThread),
                        sameValues,
                        ledger,
                        warnings);
    }

    /** Returns the number of samples, or of sums. */
    public int sampleCount() {
        return samples.size();
    }

    /** Returns true if all samples of the event have the same value. */
    public boolean hasSameValues() {
        return sameValues;
    }

    /** Returns the time of a sample, CLOCK_MONOTONIC in ns; 0 for a sum. */
    public long nanosOf(int sample) {
        return samples.nanos(sample);
    }

    public int threadOf(int sample) {
        return samples.thread(sample);
    }

    public int stackOf(int sample) {
        return samples.stack(sample);
    }

    /** Returns the first measure of a sample, or its sum. */
    public long valueOf(int sample) {
        return samples.value(sample);
    }

    /**
     * Returns a numeric measure of a sample.
     *
     * @throws IllegalArgumentException if the event has no such measure, or the measure is not a number
     * @throws IllegalStateException if samples are combined and the measure is not the first one
     */
    public long valueOf(int sample, Measure measure) {
        int place = place(measure);
        if (!measure.isNumber()) {
            throw new IllegalArgumentException(measure.id() + " is not a number");
        }
        return place == 0 ? samples.value(sample) : samples.further(sample, place);
    }

    /**
     * Returns the state of a sample: {@link Measure#STATE}.
     *
     * @throws IllegalArgumentException if the event has no state
     * @throws IllegalStateException if samples are combined
     */
    public String stateOf(int sample) {
        return samples.word(sample, place(Measure.STATE));
    }

    private int place(Measure measure) {
        int place = event().measures().indexOf(measure);
        if (place < 0) {
            throw new IllegalArgumentException(event().name() + " has no " + measure.id());
        }
        return place;
    }

    /** Returns the number of samples that a sum represents, 1 for a sample. */
    public long countOf(int sample) {
        return samples.count(sample);
    }

    public WalkOutcome outcomeOf(int sample) {
        return OUTCOMES[samples.outcome(sample)];
    }

    public Sample sample(int index) {
        return new Sample(nanosOf(index), threadOf(index), stackOf(index), valueOf(index), outcomeOf(index));
    }

    /** Returns the frames of a sample, root first. */
    public Stack stack(int sample) {
        var list = new ArrayList<Frame>();
        for (int stack = stackOf(sample); stack != 0; stack = parentOf(stack)) {
            list.add(frames.get(frameOf(stack)));
        }
        Collections.reverse(list);
        return new Stack(list, outcomeOf(sample));
    }
}
