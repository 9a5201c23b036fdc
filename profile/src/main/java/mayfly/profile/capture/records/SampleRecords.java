package mayfly.profile.capture.records;

import mayfly.profile.Detail;
import mayfly.profile.Ledger;
import mayfly.profile.Recording;
import mayfly.profile.SampledEvent;
import mayfly.profile.Samples;
import mayfly.profile.Unit;
import mayfly.profile.WalkOutcome;

/** Collects the samples of one event, and the counts for its ledger if the capture has none. */
public final class SampleRecords {
    private final Detail detail;
    private final long[] byOutcome = new long[WalkOutcome.values().length];
    private Samples rows = Samples.sums();
    private long count;
    private long frames;
    private long sum;
    private long firstValue;
    private boolean sameValues = true;
    private long latest = Long.MIN_VALUE;

    public SampleRecords(Detail detail) {
        this.detail = detail;
    }

    /** Sets the requested event. Called once, before its first sample. */
    public void begin(SampledEvent event) {
        rows = detail == Detail.SUMS
                ? Samples.sums()
                : Samples.each(event.measures().size());
    }

    /** Takes note of a sample of another event: it extends the duration of a recording without an end. */
    public void addOther(long at) {
        latest = Math.max(latest, at);
    }

    /**
     * Adds a sample of the requested event.
     *
     * @param depth the depth of the stack
     */
    public void add(long at, int thread, int stack, int depth, long value, int outcome) {
        if (count == 0) {
            firstValue = value;
        }
        sameValues &= value == firstValue;
        count++;
        frames += depth;
        sum += value;
        latest = Math.max(latest, at);
        byOutcome[outcome]++;
        if (detail == Detail.IN_ORDER_IF_FEW
                && !rows.isSummed()
                && (count > Detail.FEW_SAMPLES || frames > Detail.FEW_FRAMES)) {
            rows = rows.added(true);
        }
        rows.add(at, thread, stack, value, outcome);
    }

    /** Returns true if {@link Samples#addFurther} needs the measures of a sample after its first one. */
    public boolean wantFurther() {
        return !rows.isSummed();
    }

    /** Returns the samples so far. */
    public Samples soFar() {
        return rows;
    }

    /** Returns all samples. None is added afterwards. */
    public Samples rows() {
        rows.seal();
        return rows;
    }

    /** Returns true if all values are equal. */
    public boolean haveSameValues() {
        return sameValues;
    }

    /**
     * Returns a ledger for an event without one, counted from its samples. The kernel's losses are unknown.
     *
     * @param cutShort true if the recording has no end
     */
    public Ledger ledger(Recording recording, SampledEvent event, boolean cutShort) {
        var ledger = Ledger.builder(recording.collector(), event.rate()).cutShort(cutShort);
        for (WalkOutcome outcome : WalkOutcome.values()) {
            ledger.count(outcome, byOutcome[outcome.ordinal()]);
        }
        ledger.addSampledCpuNanos(event.unit() == Unit.NANOSECONDS ? sum : 0);
        return ledger.durationNanos(Math.max(0, latest - recording.monotonicNanos()))
                .build();
    }
}
