package mayfly.record;

import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.record.event.SampleSink;
import mayfly.unwind.BoundedStack;
import mayfly.unwind.WalkResult;
import org.jspecify.annotations.Nullable;

/** The walk of the current sample, and the frames of it that may be dropped. Reused by each walk of a recorder. */
final class CurrentWalk implements SampleSink.Walk {
    private final BoundedStack<Frame> frames;
    /** The walk so far; null before it has reached a frame. */
    private @Nullable WalkResult result;
    /** The number of frames added before the walk: kernel frames. */
    private int unwalked;
    /** The number of frames, with those before the walk, that were found without live memory. */
    private int certain;

    private Frame.@Nullable Managed innermostManaged;
    /** True if no frame of the walk has been added. */
    private boolean empty;

    private boolean startsInManagedCode;

    private WalkOutcome outcome = WalkOutcome.NO_USER_CONTEXT;
    private long stackEnd;

    CurrentWalk(BoundedStack<Frame> frames) {
        this.frames = frames;
    }

    void begin() {
        result = null;
        unwalked = frames.size();
        certain = frames.size();
        innermostManaged = null;
        empty = true;
        startsInManagedCode = false;
    }

    void enter(WalkResult soFar) {
        result = soFar;
    }

    /** Records that a frame is added. */
    void accept(Frame frame) {
        if (empty) {
            startsInManagedCode = frame instanceof Frame.Managed || frame instanceof Frame.Stub;
            empty = false;
        }
        if (innermostManaged == null && frame instanceof Frame.Managed managed) {
            innermostManaged = managed;
        }
        certain += result != null && result.continuedLive() ? 0 : 1;
    }

    CurrentWalk end(WalkOutcome ended, long at) {
        outcome = ended;
        stackEnd = at;
        return this;
    }

    @Override
    public WalkOutcome outcome() {
        return outcome;
    }

    @Override
    public long stackEnd() {
        return stackEnd;
    }

    @Override
    public Frame.@Nullable Managed innermostManaged() {
        return innermostManaged;
    }

    @Override
    public boolean startsInManagedCode() {
        return startsInManagedCode;
    }

    @Override
    public void drop() {
        frames.keepFirst(unwalked);
    }

    /** Drops the frames that were found in live memory. */
    void dropUncertain() {
        frames.keepFirst(certain);
    }
}
