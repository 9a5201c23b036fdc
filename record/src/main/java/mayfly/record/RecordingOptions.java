package mayfly.record;

import java.time.Duration;
import java.util.List;
import mayfly.record.event.Collector;
import mayfly.record.event.RecordingEvent;

/**
 * The options of a recording.
 *
 * @param events the events to sample, each once; the first one is shown if no other is chosen
 * @param rateHz samples per second of CPU time for each busy thread, or per second of wall-clock time for each thread
 * @param duration the duration; zero to record until stopped or until the target ends
 * @param collector the method of taking samples
 * @param kernel true to include kernel frames, if they are permitted
 * @param minWait the shortest wait that is a sample of its own; from {@link #MIN_WAIT} to {@link #MAX_MIN_WAIT}
 */
public record RecordingOptions(
        List<RecordingEvent> events,
        int rateHz,
        Duration duration,
        Collector collector,
        boolean kernel,
        Duration minWait) {
    /** The default, and the lower bound, for the shortest wait that is a sample of its own. */
    public static final Duration MIN_WAIT = Duration.ofMillis(1);

    /** The upper bound for the shortest wait that is a sample of its own. */
    public static final Duration MAX_MIN_WAIT = Duration.ofMinutes(1);

    /**
     * @throws IllegalArgumentException if there is no event, one is named twice, or one has no source for the
     *     collector, or if the shortest wait is out of its range
     */
    public RecordingOptions {
        events = List.copyOf(events);
        if (events.isEmpty() || hasTwice(events)) {
            throw new IllegalArgumentException("a recording of the events " + events);
        }
        for (RecordingEvent event : events) {
            if (event.kinds(collector).isEmpty()) {
                throw new IllegalArgumentException(event.quantity() + " is not sampled with " + collector);
            }
        }
        if (minWait.compareTo(MIN_WAIT) < 0 || minWait.compareTo(MAX_MIN_WAIT) > 0) {
            throw new IllegalArgumentException("a shortest wait of " + minWait);
        }
    }

    /** A set would need the hash codes of the whole table, which take time to generate. */
    private static boolean hasTwice(List<RecordingEvent> events) {
        for (int i = 1; i < events.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (events.get(i) == events.get(j)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Creates options for one event, with the default for the shortest wait. */
    public RecordingOptions(RecordingEvent event, int rateHz, Duration duration, Collector collector, boolean kernel) {
        this(List.of(event), rateHz, duration, collector, kernel, MIN_WAIT);
    }

    /** Creates options for CPU time. */
    public RecordingOptions(int rateHz, Duration duration, Collector collector, boolean kernel) {
        this(RecordingEvent.CPU, rateHz, duration, collector, kernel);
    }

    /** Returns the same options with another duration. */
    public RecordingOptions during(Duration other) {
        return new RecordingOptions(events, rateHz, other, collector, kernel, minWait);
    }

    /** Returns true if an event is sampled at the rate. */
    boolean isRated() {
        return events.stream().anyMatch(RecordingEvent::isRated);
    }
}
