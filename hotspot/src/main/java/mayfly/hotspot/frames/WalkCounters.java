package mayfly.hotspot.frames;

/**
 * Counters of rare events during walks. Each event is valid as far as it can be checked; a high count indicates a
 * problem.
 */
public final class WalkCounters {
    /** Leaf frames whose state differed from the one decoded from the instructions. */
    long otherState;
    /** Leaf frames whose stack pointer an intrinsic had saved elsewhere. */
    long savedSp;
    /** Frames that were a few words larger than their blob's frame size. */
    long slipped;
    /** Frames that were being deoptimised. */
    long deoptimized;
    /** Interpreted frames of methods whose class had been unloaded before they were read. */
    long unloaded;
    /** Frames resolved with a blob that was no longer in place. */
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
