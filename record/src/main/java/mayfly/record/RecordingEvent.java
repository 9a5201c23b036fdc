package mayfly.record;

import java.util.Locale;

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
}
