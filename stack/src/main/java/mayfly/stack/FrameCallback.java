package mayfly.stack;

import org.jspecify.annotations.Nullable;

/**
 * Receives the frames of a walk, leaf first, root last.
 *
 * @param <T> the type of the data passed through
 */
@FunctionalInterface
public interface FrameCallback<T extends @Nullable Object> {

    /** The decision about the rest of the walk. */
    enum Action {
        /** Continue with the next frame. */
        CONTINUE,
        /** End the walk with {@link WalkStatus#STACK_SNAPSHOT_ABORTED}. */
        ABORT
    }

    /**
     * Receives a frame, or a run of native frames.
     *
     * @param report valid only during this call; its {@link FrameReport#frame} may be retained
     * @param data the data passed to the walk
     */
    Action frame(FrameReport report, T data);
}
