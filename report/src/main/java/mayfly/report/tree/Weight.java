package mayfly.report.tree;

import mayfly.profile.Profile;
import mayfly.profile.Unit;

/** What the width of a frame means. */
public enum Weight {
    /** Each sample counts one: they all stand for the same. */
    SAMPLES("samples"),
    /** Nanoseconds: samples stand for different amounts of CPU time. */
    NANOSECONDS("ns"),
    /** Bytes. */
    BYTES("bytes"),
    /** Occurrences. */
    COUNT("count");

    private final String label;

    Weight(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }

    static Weight of(Profile profile) {
        return switch (profile.event().unit()) {
            case BYTES -> BYTES;
            case COUNT -> COUNT;
            case NANOSECONDS -> profile.hasSameValues() ? SAMPLES : NANOSECONDS;
        };
    }

    long of(Profile profile, int sample) {
        return this == SAMPLES ? profile.countOf(sample) : Math.max(0, profile.valueOf(sample));
    }
}
