package mayfly.api;

/**
 * Receives the frames of one walk, leaf first.
 *
 * @param <T> the caller's data
 */
@FunctionalInterface
public interface StackSnapshotCallback<T> {

    /**
     * Receives a frame, which may be retained.
     *
     * @param frame the frame
     * @param data the caller's data
     * @return true to continue; false ends the walk with {@link Status#STACK_SNAPSHOT_ABORTED}
     */
    boolean frame(StackFrame frame, T data);
}
