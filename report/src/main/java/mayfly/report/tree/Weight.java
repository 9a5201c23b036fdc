package mayfly.report.tree;

import mayfly.profile.Profile;

/** The meaning of a frame's width. */
public enum Weight {
    /** The number of samples, if all represent the same amount. */
    SAMPLES("samples"),
    /** Nanoseconds, if samples represent different amounts of time. */
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
