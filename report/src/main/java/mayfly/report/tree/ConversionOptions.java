package mayfly.report.tree;

import mayfly.profile.RuntimeId;
import org.jspecify.annotations.Nullable;

/**
 * What of a profile is wanted, and how it is named. The same for every format.
 *
 * @param threads whether a stack starts with its thread's name
 * @param natives whether frames that are not Java methods are shown; if not, their time goes to the Java method that
 * called them
 * @param lines whether Java frames carry their line, so that two lines of a method are two frames
 * @param signatures whether Java frames carry their parameter types
 * @param runtime only stacks with a frame of this runtime, null for all
 */
public record ConversionOptions(
        boolean threads, boolean natives, boolean lines, boolean signatures, @Nullable RuntimeId runtime) {

    /** Everything, without threads, lines and signatures. */
    public static final ConversionOptions DEFAULT = new ConversionOptions(false, true, false, false, null);
}
