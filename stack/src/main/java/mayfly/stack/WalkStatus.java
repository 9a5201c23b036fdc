package mayfly.stack;

/** What became of one walk. */
public enum WalkStatus {
    /** It reached the thread's root, or the limit of frames: see the outcome. Also without any managed frame. */
    DONE,
    /** It began well and broke off: the frames towards the root are missing. The outcome says why. */
    BROKEN,
    /** The callback wanted no more. */
    STACK_SNAPSHOT_ABORTED,
    /** The thread's stack could not be had at one moment; nothing of it is reported. The reason says why. */
    STACK_SNAPSHOT_UNSAFE,
    /**
     * It runs native code that can neither be stepped over nor skipped, so that no managed frame could be found. The
     * native frames that were found are reported. A seed may help.
     */
    STACK_SNAPSHOT_UNMANAGED_CONTEXT,
    /** The thread has ended. */
    THREAD_GONE
}
