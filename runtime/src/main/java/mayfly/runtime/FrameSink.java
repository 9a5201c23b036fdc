package mayfly.runtime;

import mayfly.profile.Frame;

/** Receives the frames of a walk, leaf first. */
@FunctionalInterface
public interface FrameSink {
    void accept(Frame frame);
}
