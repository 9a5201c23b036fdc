package mayfly.runtime;

import mayfly.profile.Frame;

/** Where a walk puts its frames, leaf first. */
@FunctionalInterface
public interface FrameSink {
    void accept(Frame frame);
}
