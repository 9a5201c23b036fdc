package mayfly.profile.capture;

import java.util.List;
import mayfly.profile.Recording;

/**
 * What a capture is of, and how large it is: everything that can be known of it without keeping its frames, stacks and
 * samples.
 *
 * @param recording what was recorded
 * @param warnings what is wrong with the file, in sentences
 * @param strings how many strings it has
 * @param stringBytes the length of all of them in UTF-8
 * @param frames how many frames it has
 * @param stacks how many stacks, counted as often as they are in the file
 * @param distinctStacks how many different ones, as an estimate
 * @param reach how many ids of stacks before the next free one the furthest reference goes back: a long recording has
 *        many more ids than it refers to
 * @param threads how many threads
 * @param samples how many samples
 * @param sampledStacks how many different stacks samples have, as an estimate
 * @param distinctSamples how many of them differ in their stack, thread, outcome or event, as an estimate
 */
public record CaptureSummary(Recording recording, List<String> warnings, long strings, long stringBytes, long frames,
        long stacks, long distinctStacks, int reach, long threads, long samples, long sampledStacks,
        long distinctSamples) {
    public CaptureSummary {
        warnings = List.copyOf(warnings);
    }
}
