package mayfly.profile.capture.records;

import mayfly.profile.capture.records.RecordCursor.BadRecord;

/** Reads the times of samples. Each time is stored as the difference from the previous one. */
public final class SampleTimes {
    private final AboutRecords about;
    private boolean started;
    private long last;

    /** @param about the source of the time at which the recording started */
    public SampleTimes(AboutRecords about) {
        this.about = about;
    }

    /**
     * Reads the time of the next sample: CLOCK_MONOTONIC in ns.
     *
     * @throws BadRecord if the record is malformed, or the metadata before it has no event
     */
    public long read(RecordCursor record) throws BadRecord {
        if (!started) {
            last = about.start().monotonicNanos();
            started = true;
        }
        last += record.signed();
        return last;
    }
}
