package mayfly.record;

import java.time.Duration;

/**
 * What to record.
 *
 * @param event what a sample stands for
 * @param rateHz samples per second, of CPU time for each busy thread or of wall-clock time for each thread
 * @param duration for how long; zero: until stopped or the target ends
 * @param collector how samples are taken
 * @param kernel whether kernel frames are wanted, where they are permitted
 */
public record RecordingOptions(RecordingEvent event, int rateHz, Duration duration, Collector collector,
                               boolean kernel) {

    /** CPU time. */
    public RecordingOptions(int rateHz, Duration duration, Collector collector, boolean kernel) {
        this(RecordingEvent.CPU, rateHz, duration, collector, kernel);
    }
}
