package mayfly.profile;

import java.util.List;

/**
 * The frames of one sample.
 *
 * @param frames root first
 * @param outcome states whether frames are missing at the root, and why
 */
public record Stack(List<Frame> frames, WalkOutcome outcome) {
    public Stack {
        frames = List.copyOf(frames);
    }
}
