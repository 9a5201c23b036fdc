package mayfly.profile;

import org.jspecify.annotations.Nullable;

/** The unit in which the samples of an event are counted. */
public enum Unit {
    /** Nanoseconds of CPU time or of elapsed time. */
    NANOSECONDS("ns"),
    /** Bytes. */
    BYTES("bytes"),
    /** Occurrences. */
    COUNT("count");

    private final String id;

    Unit(String id) {
        this.id = id;
    }

    /** Returns the word used in captures. It never changes. */
    public String id() {
        return id;
    }

    static @Nullable public Unit of(String id) {
        for (Unit unit : values()) {
            if (unit.id.equals(id)) {
                return unit;
            }
        }
        return null;
    }
}
