package mayfly.report.tree;

import mayfly.profile.RuntimeId;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a report and the form of its names, common to all formats.
 *
 * @param threads true if a stack starts with the name of its thread
 * @param natives true if frames other than Java methods are shown; otherwise their time is attributed to the calling
 *         Java method
 * @param lines true if Java frames include their line; two lines of a method are then two frames
 * @param signatures true if Java frames include their parameter types
 * @param runtime chooses the runtimes of which a stack must have a frame to be included; null to include all stacks
 */
public record ConversionOptions(
        boolean threads, boolean natives, boolean lines, boolean signatures, RuntimeId.@Nullable Choice runtime) {

    /** All samples, without threads, lines and signatures. */
    public static final ConversionOptions DEFAULT = new ConversionOptions(false, true, false, false, null);
}
