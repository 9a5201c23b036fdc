package mayfly.hotspot.code;

import mayfly.profile.Frame;

/** The ways in which HotSpot executes a Java method, in the words of {@link Frame.Managed}. */
public enum Tier {
    /** By the interpreter. */
    INTERPRETED(Frame.Managed.INTERPRETED, ""),
    /** As code of the client compiler, C1. */
    C1(Frame.Managed.COMPILED, "C1"),
    /** As code of the optimising compiler: C2, or a compiler that replaces it. */
    C2(Frame.Managed.COMPILED, "C2"),
    /** Inlined into the compiled method below it. */
    INLINED(Frame.Managed.INLINED, ""),
    /** A native method, through its wrapper. */
    NATIVE(Frame.Managed.NATIVE, "");

    final String kind;
    final String word;

    Tier(String kind, String word) {
        this.kind = kind;
        this.word = word;
    }

    /** Returns true if a frame has this tier. */
    boolean isOf(Frame.Managed frame) {
        return frame.tier().equals(word) && frame.kind().equals(kind);
    }

    /** Returns the way in which a frame's method was executed. */
    static Tier of(Frame.Managed frame) {
        for (Tier tier : values()) {
            if (tier.isOf(frame)) {
                return tier;
            }
        }
        throw new IllegalArgumentException(frame.kind() + " " + frame.tier());
    }
}
