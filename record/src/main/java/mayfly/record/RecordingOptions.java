package mayfly.record;

import java.time.Duration;
import mayfly.record.event.Collector;
import mayfly.record.event.RecordingEvent;

/**
 * The options of a recording.
 *
 * @param event the event to sample
 * @param rateHz samples per second of CPU time for each busy thread, or per second of wall-clock time for each thread
 * @param duration the duration; zero to record until stopped or until the target ends
 * @param collector the method of taking samples
 * @param kernel true to include kernel frames, if they are permitted
 * @param minWait the shortest wait that is a sample of its own; from {@link #MIN_WAIT} to {@link #MAX_MIN_WAIT}
 */
public record RecordingOptions(
        RecordingEvent event, int rateHz, Duration duration, Collector collector, boolean kernel, Duration minWait) {
    /** The default, and the lower bound, for the shortest wait that is a sample of its own. */
    public static final Duration MIN_WAIT = Duration.ofMillis(1);

    /** The upper bound for the shortest wait that is a sample of its own. */
    public static final Duration MAX_MIN_WAIT = Duration.ofMinutes(1);

    /**
     * @throws IllegalArgumentException if the event has no source for the collector, or the shortest wait is out of its
     *     range
     */
    public RecordingOptions {
        if (event.kinds(collector).isEmpty()) {
            throw new IllegalArgumentException(event.quantity() + " is not sampled with " + collector);
        }
        if (minWait.compareTo(MIN_WAIT) < 0 || minWait.compareTo(MAX_MIN_WAIT) > 0) {
            throw new IllegalArgumentException("a shortest wait of " + minWait);
        }
    }

    /** Creates options with the default for the shortest wait. */
    public RecordingOptions(RecordingEvent event, int rateHz, Duration duration, Collector collector, boolean kernel) {
        this(event, rateHz, duration, collector, kernel, MIN_WAIT);
    }

    /** Creates options for CPU time. */
    public RecordingOptions(int rateHz, Duration duration, Collector collector, boolean kernel) {
        this(RecordingEvent.CPU, rateHz, duration, collector, kernel);
    }
}
