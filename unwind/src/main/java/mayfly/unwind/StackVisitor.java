package mayfly.unwind;

import mayfly.runtime.FrameSink;

/** Takes the frames of a walk, leaf first. */
@FunctionalInterface
public interface StackVisitor extends FrameSink {

    /**
     * Called before the frames of each physical frame are reported.
     *
     * @param walk the walk so far, whose registers are those of this frame; always the same object
     * @return whether the walk goes on; if not, it is truncated
     */
    default boolean enter(WalkResult walk) {
        return true;
    }
}
