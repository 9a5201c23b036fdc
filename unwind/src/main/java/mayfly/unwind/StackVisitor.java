package mayfly.unwind;

import mayfly.runtime.FrameSink;

/** Receives the frames of a walk, leaf first. */
@FunctionalInterface
public interface StackVisitor extends FrameSink {

    /**
     * Called before the frames of each physical frame are reported.
     *
     * @param walk the walk so far, whose registers are those of this frame; always the same object
     * @return true to continue the walk, false to truncate it
     */
    default boolean enter(WalkResult walk) {
        return true;
    }
}
