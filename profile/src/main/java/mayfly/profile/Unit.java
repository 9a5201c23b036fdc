package mayfly.profile;

import org.jspecify.annotations.Nullable;

/** What the samples of an event count. */
public enum Unit {
    /** Nanoseconds: of CPU time, or of time. */
    NANOSECONDS("ns"),
    /** Bytes. */
    BYTES("bytes"),
    /** Occurrences. */
    COUNT("count");

    private final String id;

    Unit(String id) {
        this.id = id;
    }

    /** The word used in captures. Never changes. */
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
