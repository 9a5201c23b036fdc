package mayfly.stack;

import mayfly.process.Registers;
import org.jspecify.annotations.Nullable;

/**
 * A thread to walk, and the options of the walk.
 *
 * @param tid the kernel's thread id
 * @param holes true to report each run of native frames as one hole, without names
 * @param hidden true to include frames that the JVM hides from a Throwable's stack trace
 * @param maxFrames upper bound on the walked frames, including frames in holes
 * @param seed the starting point if neither the thread's registers nor the runtime lead to a managed frame; null for
 *         none. The registers of a frame that has made a call: the program counter is a return address, and the stack
 *         pointer is its value after the return. The registers are used only for this, so any values are permitted
 */
public record WalkRequest(
        int tid,
        boolean holes,
        boolean hidden,
        int maxFrames,
        @Nullable Registers seed) {
    /** Default upper bound on frames; further frames are cut off. */
    public static final int MAX_FRAMES = 8192;

    /** @throws IllegalArgumentException if {@code maxFrames} is less than 1 */
    public WalkRequest {
        if (maxFrames < 1) {
            throw new IllegalArgumentException("a walk needs at least 1 frame, not " + maxFrames);
        }
    }

    /** Returns a request for all frames of a thread, including native and hidden ones. */
    public static WalkRequest of(int tid) {
        return new WalkRequest(tid, false, true, MAX_FRAMES, null);
    }

    /** Returns this request with native frames reported as holes. */
    public WalkRequest withHoles() {
        return new WalkRequest(tid, true, hidden, maxFrames, seed);
    }

    /** Returns this request without hidden frames. */
    public WalkRequest withoutHidden() {
        return new WalkRequest(tid, holes, false, maxFrames, seed);
    }

    /** Returns this request with another limit of frames. */
    public WalkRequest limitedTo(int frames) {
        return new WalkRequest(tid, holes, hidden, frames, seed);
    }

    /** Returns this request with a seed. */
    public WalkRequest seededWith(Registers registers) {
        return new WalkRequest(tid, holes, hidden, maxFrames, registers);
    }
}
