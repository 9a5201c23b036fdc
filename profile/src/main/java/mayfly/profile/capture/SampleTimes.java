package mayfly.profile.capture;

import mayfly.profile.capture.RecordCursor.BadRecord;

/** The times of samples as they are read: each is written as the difference to the one before. */
final class SampleTimes {
    private final AboutRecords about;
    private boolean started;
    private long last;

    /** @param about the source of the start time of the recording */
    SampleTimes(AboutRecords about) {
        this.about = about;
    }

    /** Reads the time of the next sample: CLOCK_MONOTONIC in ns. */
    long read(RecordCursor record) throws BadRecord {
        if (!started) {
            last = about.start().monotonicNanos();
            started = true;
        }
        last += record.signed();
        return last;
    }
}
