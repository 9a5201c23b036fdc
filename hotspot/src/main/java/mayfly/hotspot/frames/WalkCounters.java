package mayfly.hotspot.frames;

/** What walking met that should be rare: each is right as far as it can be checked, and many of them are an alarm. */
public final class WalkCounters {
    /** Leaf frames whose state was another than the instructions said. */
    long otherState;
    /** Leaf frames whose stack pointer had been saved aside by an intrinsic. */
    long savedSp;
    /** Frames that were some words larger than their blob says. */
    long slipped;
    /** Frames in the middle of being deoptimised. */
    long deoptimized;
    /** Interpreted frames of methods whose class had been unloaded before they were read. */
    long unloaded;
    /** Frames explained from a blob that was no longer in place. */
    long fromSuperseded;

    public long otherState() {
        return otherState;
    }

    public long savedSp() {
        return savedSp;
    }

    public long slipped() {
        return slipped;
    }

    public long deoptimized() {
        return deoptimized;
    }

    public long unloaded() {
        return unloaded;
    }

    public long fromSuperseded() {
        return fromSuperseded;
    }
}
