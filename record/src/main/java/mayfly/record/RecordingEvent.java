package mayfly.record;

import java.util.Locale;

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
}
