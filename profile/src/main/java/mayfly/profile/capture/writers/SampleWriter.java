package mayfly.profile.capture.writers;

import java.util.List;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Measure;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.records.CaptureFormat;

/** Writes the samples of a capture without allocation. */
public final class SampleWriter {
    private final BlockOutput out;
    private final WordWriter words;
    private final EventWriter events;
    private final ThreadWriter threads;
    private final StackWriter stacks;
    private final int[] outcomeWords = new int[WalkOutcome.values().length];
    private long lastNanos;

    /**
     * Writes the words of the outcomes.
     *
     * @param monotonicNanos CLOCK_MONOTONIC at the start of the recording
     * @throws CaptureWriteException if the capture cannot be written
     */
    public SampleWriter(
            BlockOutput out,
            WordWriter words,
            EventWriter events,
            ThreadWriter threads,
            StackWriter stacks,
            long monotonicNanos)
            throws CaptureWriteException {
        this.out = out;
        this.words = words;
        this.events = events;
        this.threads = threads;
        this.stacks = stacks;
        lastNanos = monotonicNanos;
        for (WalkOutcome outcome : WalkOutcome.values()) {
            outcomeWords[outcome.ordinal()] = outcome == WalkOutcome.COMPLETE ? 0 : words.word(outcome.id());
        }
    }

    /**
     * Writes a sample of an event that has one measure.
     *
     * @param nanos CLOCK_MONOTONIC
     * @throws CaptureWriteException if the capture cannot be written
     * @throws IllegalArgumentException if there is no such event, thread or stack, or the event has more measures
     */
    public void sample(int event, long nanos, int thread, int stack, long value, WalkOutcome outcome)
            throws CaptureWriteException {
        require(event, 1, thread, stack);
        RecordBuffer record = begin(event, nanos, thread, stack, outcome);
        record.signed(value);
        record.end();
    }

    /**
     * Writes a sample with the value of each measure of its event.
     *
     * @param nanos CLOCK_MONOTONIC
     * @param values in the order of {@link mayfly.profile.SampledEvent#measures}; a measure that is not a number has
     *         the id of a word
     * @throws CaptureWriteException if the capture cannot be written
     * @throws IllegalArgumentException if there is no such event, thread, stack or word, or the number of measures is
     *         another one
     */
    public void sample(int event, long nanos, int thread, int stack, long[] values, WalkOutcome outcome)
            throws CaptureWriteException {
        require(event, values.length, thread, stack);
        List<Measure> measures = events.measures(event);
        for (int i = 0; i < values.length; i++) {
            if (!measures.get(i).isNumber() && !words.has(values[i])) {
                throw new IllegalArgumentException("no word " + values[i]);
            }
        }
        RecordBuffer record = begin(event, nanos, thread, stack, outcome);
        for (int i = 0; i < values.length; i++) {
            if (measures.get(i).isNumber()) {
                record.signed(values[i]);
            } else {
                record.number(values[i]);
            }
        }
        record.end();
    }

    private void require(int event, int measures, int thread, int stack) {
        events.require(event, measures);
        if (thread < 0 || thread >= threads.count() || stack < 0 || stack >= stacks.count()) {
            throw new IllegalArgumentException("no thread " + thread + " or no stack " + stack);
        }
    }

    private RecordBuffer begin(int event, long nanos, int thread, int stack, WalkOutcome outcome)
            throws CaptureWriteException {
        RecordBuffer record = out.begin(CaptureFormat.SAMPLE + event);
        record.signed(nanos - lastNanos);
        record.number(thread);
        record.number(stack);
        record.number(outcomeWords[outcome.ordinal()]);
        lastNanos = nanos;
        return record;
    }
}
