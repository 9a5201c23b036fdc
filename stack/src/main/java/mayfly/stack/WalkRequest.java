package mayfly.stack;

import mayfly.process.Registers;
import org.jspecify.annotations.Nullable;

/**
 * Which thread to walk, and how.
 *
 * @param tid the kernel's id of the thread
 * @param holes whether runs of native frames are reported as one each, without names
 * @param hidden whether frames that the JVM hides from a Throwable's stack trace are reported too
 * @param maxFrames walk at most so many frames, holes' frames included
 * @param seed where to begin if neither the thread's registers nor the runtime lead to a managed frame; null: nowhere.
 *        The registers of a frame that called out: its program counter is a return address, and its stack pointer is
 *        what it will be after the return. It is not used for anything else, and may be any values
 */
public record WalkRequest(int tid, boolean holes, boolean hidden, int maxFrames, @Nullable Registers seed) {
    /** More frames than this are cut off, unless asked for. */
    public static final int MOST_FRAMES = 8192;

    public WalkRequest {
        if (maxFrames < 1) {
            throw new IllegalArgumentException("a walk of " + maxFrames + " frames");
        }
    }

    /** All frames of a thread, native and hidden ones included. */
    public static WalkRequest of(int tid) {
        return new WalkRequest(tid, false, true, MOST_FRAMES, null);
    }

    public WalkRequest withHoles() {
        return new WalkRequest(tid, true, hidden, maxFrames, seed);
    }

    public WalkRequest withoutHidden() {
        return new WalkRequest(tid, holes, false, maxFrames, seed);
    }

    public WalkRequest limitedTo(int frames) {
        return new WalkRequest(tid, holes, hidden, frames, seed);
    }

    public WalkRequest seededWith(Registers registers) {
        return new WalkRequest(tid, holes, hidden, maxFrames, registers);
    }
}
