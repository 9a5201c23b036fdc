package mayfly.profile;

import org.jspecify.annotations.Nullable;

/** A value that the samples of an event can have in addition to their time. */
public enum Measure {
    /** The amount of the event's unit that the sample represents. */
    VALUE("value"),
    /** A number of bytes. */
    BYTES("bytes"),
    /** A number of occurrences. */
    COUNT("count"),
    /** A duration, in nanoseconds. */
    DURATION("duration"),
    /** The activity of the thread, as a word defined by the event. */
    STATE("state");

    private final String id;

    Measure(String id) {
        this.id = id;
    }

    /** Returns the word used in captures. It never changes. */
    public String id() {
        return id;
    }

    /** Returns true if it is a number, which can be summed. */
    public boolean isNumber() {
        return this != STATE;
    }

    /** Returns the measure with an id, or null if this version does not know it. */
    public static @Nullable Measure of(String id) {
        for (Measure measure : values()) {
            if (measure.id.equals(id)) {
                return measure;
            }
        }
        return null;
    }
}
