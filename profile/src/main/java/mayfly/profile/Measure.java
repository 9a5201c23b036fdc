package mayfly.profile;

import org.jspecify.annotations.Nullable;

/** A value that the samples of an event can carry besides their time. */
public enum Measure {
    /** How much of the event's unit the sample stands for. */
    VALUE("value"),
    /** A number of bytes. */
    BYTES("bytes"),
    /** A number of occurrences. */
    COUNT("count"),
    /** How long something lasted, in nanoseconds. */
    DURATION("duration"),
    /** What the thread was doing, as a word of the event's own. */
    STATE("state");

    private final String id;

    Measure(String id) {
        this.id = id;
    }

    /** The word used in captures. Never changes. */
    public String id() {
        return id;
    }

    /** Whether it is a number, so that it can be added up. */
    public boolean isNumber() {
        return this != STATE;
    }

    /** The measure that a capture calls so, null if this version knows none of that name. */
    public static @Nullable Measure of(String id) {
        for (Measure measure : values()) {
            if (measure.id.equals(id)) {
                return measure;
            }
        }
        return null;
    }
}
