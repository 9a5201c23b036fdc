package mayfly.hotspot.frames;

/** Counters of rare events during walks. A single event may be correct; a high count indicates a problem. */
public final class WalkCounters {
    /** Leaf frames whose state differed from the one decoded from the instructions. */
    private long otherState;
    /** Leaf frames whose stack pointer an intrinsic had saved elsewhere. */
    private long savedSp;
    /**
     * Frames that were a few words larger than their blob's frame size, if the caller found in this way had no caller
     * itself.
     */
    private long slipped;
    /** Frames that were being deoptimised. */
    private long deoptimized;
    /** Frames of methods whose class had been unloaded before the frame was read. */
    private long unloaded;
    /** Frames resolved with a blob that was no longer in place. */
    private long fromSuperseded;
    /** Words of stacks and registers that point to generated code which could not be read. */
    private long unreadable;

    public void countOtherState() {
        otherState++;
    }

    public void countSavedSp() {
        savedSp++;
    }

    public void countSlipped() {
        slipped++;
    }

    void countDeoptimized() {
        deoptimized++;
    }

    public void countUnloaded() {
        unloaded++;
    }

    void countFromSuperseded() {
        fromSuperseded++;
    }

    void countUnreadable() {
        unreadable++;
    }

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

    public long unreadable() {
        return unreadable;
    }
}
