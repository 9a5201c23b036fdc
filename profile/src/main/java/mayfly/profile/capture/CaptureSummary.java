package mayfly.profile.capture;

import java.util.List;
import mayfly.profile.Recording;

/**
 * The subject and the size of a capture: all data that can be determined without keeping its frames, stacks and
 * samples.
 *
 * @param recording the recording
 * @param warnings the problems of the file, in sentences
 * @param strings the number of strings
 * @param stringBytes the length of all strings in UTF-8
 * @param frames the number of frames
 * @param stacks the number of stacks, including repeated ones
 * @param distinctStacks the number of distinct stacks, as an estimate
 * @param reach the largest distance from a reference to a stack back from the next free id: a long recording has many
 *     more ids than it refers to
 * @param threads the number of threads
 * @param samples the number of samples
 * @param sampledStacks the number of distinct stacks of samples, as an estimate
 * @param distinctSamples the number of samples that differ in stack, thread, outcome or event, as an estimate
 */
public record CaptureSummary(Recording recording, List<String> warnings, long strings, long stringBytes, long frames,
        long stacks, long distinctStacks, int reach, long threads, long samples, long sampledStacks,
        long distinctSamples) {
    public CaptureSummary {
        warnings = List.copyOf(warnings);
    }
}
