package mayfly.api;

/**
 * Receives the frames of one walk, leaf first.
 *
 * @param <T> the caller's data
 */
@FunctionalInterface
public interface StackSnapshotCallback<T> {

    /**
     * One frame. The frame may be kept.
     *
     * @return whether to go on; false ends the walk with {@link Status#STACK_SNAPSHOT_ABORTED}
     */
    boolean frame(StackFrame frame, T data);
}
