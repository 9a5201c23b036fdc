package mayfly.stack;

/** The status of a walk. */
public enum WalkStatus {
    /**
     * The walk reached the thread's root, or the limit of frames: see the outcome. Also used if there is no managed
     * frame.
     */
    DONE,
    /** The walk ended early: the frames towards the root are missing. The outcome gives the reason. */
    BROKEN,
    /** The callback ended the walk. */
    STACK_SNAPSHOT_ABORTED,
    /** The thread's stack could not be copied at one moment; no frame is reported. The result gives the reason. */
    STACK_SNAPSHOT_UNSAFE,
    /**
     * The thread runs native code that can neither be stepped over nor skipped, so no managed frame was found. The
     * native frames found are reported. A seed may help.
     */
    STACK_SNAPSHOT_UNMANAGED_CONTEXT,
    /** The thread has ended. */
    THREAD_GONE
}
