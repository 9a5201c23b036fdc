package mayfly.profile.capture;

import java.util.List;
import mayfly.profile.Recording;

/**
 * The recording and the counts of a capture: all data that can be determined without keeping its frames, stacks and
 * samples in memory.
 *
 * @param recording the recording
 * @param warnings the problems of the file, in sentences
 * @param strings the number of strings
 * @param stringBytes the length of all strings in UTF-8
 * @param frames the number of frames
 * @param stacks the number of stack ids; a stack can have several
 * @param distinctStacks the number of distinct stacks, as an estimate
 * @param reach the largest difference between the next free stack id and a stack id that a record refers to; in a long
 *     recording it is much smaller than the number of ids
 * @param threads the number of threads
 * @param samples the number of samples
 * @param sampledStacks the number of distinct stacks of samples, as an estimate
 * @param distinctSamples the number of samples that differ in stack, thread, outcome or event, as an estimate
 */
public record CaptureSummary(
        Recording recording,
        List<String> warnings,
        long strings,
        long stringBytes,
        long frames,
        long stacks,
        long distinctStacks,
        int reach,
        long threads,
        long samples,
        long sampledStacks,
        long distinctSamples) {
    public CaptureSummary {
        warnings = List.copyOf(warnings);
    }
}
