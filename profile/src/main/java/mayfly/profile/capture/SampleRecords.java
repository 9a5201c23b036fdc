package mayfly.profile.capture;

import mayfly.profile.Detail;
import mayfly.profile.Ledger;
import mayfly.profile.Recording;
import mayfly.profile.SampledEvent;
import mayfly.profile.Samples;
import mayfly.profile.Unit;
import mayfly.profile.WalkOutcome;

/** The samples of a capture as they are read, and the totals over all of them. */
final class SampleRecords {
    private final Detail detail;
    private final long[] byOutcome = new long[WalkOutcome.values().length];
    private Samples rows = Samples.sums();
    private long count;
    private long frames;
    private long sum;
    private long firstValue;
    private boolean sameValues = true;
    private long latest = Long.MIN_VALUE;

    SampleRecords(Detail detail) {
        this.detail = detail;
    }

    /** Called once, before the first sample of the requested event. */
    void begin(SampledEvent event) {
        rows = detail == Detail.SUMS ? Samples.sums() : Samples.each(event.measures().size());
    }

    /** Counts a sample of another event, for a recording that has no end. */
    void addOther(long at, int outcome) {
        latest = Math.max(latest, at);
        byOutcome[outcome]++;
    }

    /**
     * Adds a sample of the requested event.
     *
     * @param depth the depth of the stack
     */
    void add(long at, int thread, int stack, int depth, long value, int outcome) {
        if (count == 0) {
            firstValue = value;
        }
        sameValues &= value == firstValue;
        count++;
        frames += depth;
        sum += value;
        latest = Math.max(latest, at);
        byOutcome[outcome]++;
        if (detail == Detail.IN_ORDER_IF_FEW && !rows.isSummed()
                && (count > Detail.FEW_SAMPLES || frames > Detail.FEW_FRAMES)) {
            rows = rows.added(true);
        }
        rows.add(at, thread, stack, value, outcome);
    }

    /** Returns true if {@link Samples#addFurther} needs the measures of a sample after its first one. */
    boolean wantFurther() {
        return !rows.isSummed();
    }

    /** Returns the samples so far. */
    Samples soFar() {
        return rows;
    }

    /** Returns all samples, to which no more are added. */
    Samples rows() {
        rows.seal();
        return rows;
    }

    /** Returns true if all values are equal. */
    boolean haveSameValues() {
        return sameValues;
    }

    /**
     * Returns the ledger of a recording that has no end, computed from its samples. The number of samples that the
     * kernel lost is unknown.
     */
    Ledger ledger(Recording recording, SampledEvent event) {
        var ledger = Ledger.builder(recording.collector(), event.rate()).cutShort(true);
        for (WalkOutcome outcome : WalkOutcome.values()) {
            ledger.count(outcome, byOutcome[outcome.ordinal()]);
        }
        ledger.addSampledCpuNanos(event.unit() == Unit.NANOSECONDS ? sum : 0);
        return ledger.durationNanos(Math.max(0, latest - recording.monotonicNanos())).build();
    }
}
