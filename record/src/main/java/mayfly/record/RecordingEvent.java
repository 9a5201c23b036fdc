package mayfly.record;

import java.util.Locale;
import mayfly.profile.SampledEvent;
import mayfly.profile.Unit;

/** The event sampled by a recording. */
public enum RecordingEvent {
    /** CPU time: running threads only. */
    CPU,
    /** Wall-clock time: every thread, running or blocked. */
    WALL;

    /** Returns the identifier on the command line and in captures. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The event as a capture describes it: each sample carries the time that it stands for. */
    SampledEvent sampled(int rateHz) {
        return new SampledEvent(id(), Unit.NANOSECONDS, rateHz);
    }
}
