package mayfly.stack;

import org.jspecify.annotations.Nullable;

/**
 * Is given the frames of a walk, leaf first, root last.
 *
 * @param <T> what the caller passes through
 */
@FunctionalInterface
public interface FrameCallback<T extends @Nullable Object> {

    /** Whether to go on. */
    enum Action {
        /** The next frame is wanted. */
        CONTINUE,
        /** None is wanted any more: the walk ends as {@link WalkStatus#STACK_SNAPSHOT_ABORTED}. */
        ABORT
    }

    /**
     * One frame, or one run of native frames.
     *
     * @param report valid only during this call; the {@link FrameReport#frame} in it may be kept
     * @param data what was given to the walk
     */
    Action frame(FrameReport report, T data);
}
