package mayfly.record;

import java.util.Locale;
import mayfly.profile.SampledEvent;
import mayfly.profile.Unit;

/** What a recording samples. */
public enum RecordingEvent {
    /** CPU time: only threads that run. */
    CPU,
    /** Wall-clock time: every thread, whether it runs or waits. */
    WALL;

    /** The word on the command line and in captures. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The event as a capture describes it: each sample carries the time that it stands for. */
    SampledEvent sampled(int rateHz) {
        return new SampledEvent(id(), Unit.NANOSECONDS, rateHz);
    }
}
