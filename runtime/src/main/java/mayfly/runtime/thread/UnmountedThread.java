package mayfly.runtime.thread;

import java.util.List;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;

/**
 * A thread that no thread of the kernel runs at the moment, such as an unmounted virtual thread of Java.
 *
 * @param name its name, often empty: untrusted text
 * @param managedId the number that the runtime gave it
 * @param state its activity
 * @param frames its frames, leaf first; empty if it has not begun to run
 * @param outcome the outcome of the walk
 */
public record UnmountedThread(
        String name, long managedId, ManagedThreadState state, List<Frame> frames, WalkOutcome outcome) {
    public UnmountedThread {
        frames = List.copyOf(frames);
    }
}
