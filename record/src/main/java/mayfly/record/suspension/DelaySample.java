package mayfly.record.suspension;

import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import org.jspecify.annotations.Nullable;

/**
 * A thread for which a suspension waited, at one place.
 *
 * @param tid the id of the thread
 * @param stack the number of its stack in the capture
 * @param outcome the outcome of the walk
 * @param innermost its innermost managed frame; null if its walk found none
 */
public record DelaySample(int tid, int stack, WalkOutcome outcome, Frame.@Nullable Managed innermost) {}
