package mayfly.sampler;

import java.time.Duration;

/**
 * What to record.
 *
 * @param rateHz samples per second of CPU time, for each busy thread
 * @param duration for how long; zero: until stopped or the target ends
 * @param collector how samples are taken
 * @param kernel whether kernel frames are wanted, where they are permitted
 */
public record RecordingOptions(int rateHz, Duration duration, Collector collector, boolean kernel) {
}
