package mayfly.profile;

import java.util.List;

/**
 * The frames of one sample.
 *
 * @param frames root first
 * @param outcome the outcome of the walk: the reason if frames at the root are missing
 */
public record Stack(List<Frame> frames, WalkOutcome outcome) {
    public Stack {
        frames = List.copyOf(frames);
    }
}
