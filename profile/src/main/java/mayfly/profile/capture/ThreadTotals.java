package mayfly.profile.capture;

import java.util.List;
import mayfly.profile.Recording;
import mayfly.profile.SampledThread;

/**
 * The samples of all events of a capture, added up by thread and state.
 *
 * @param recording the recording
 * @param threads its threads
 * @param totals the sums, in no order
 * @param warnings the problems of the file, in sentences
 */
public record ThreadTotals(
        Recording recording, List<SampledThread> threads, List<Total> totals, List<String> warnings) {

    /**
     * A sum of samples.
     *
     * @param thread an index in {@link #threads}, or {@link #FURTHER}
     * @param event an index in the events of the recording
     * @param state the state of the thread, a word of the event; empty if the event has no states
     * @param samples the number of samples
     * @param sum the sum of their first measures, in the unit of the event; negative measures count as 0
     */
    public record Total(int thread, int event, String state, long samples, long sum) {}

    /** Stands for the samples of all threads beyond the first 131,072 sums. Such a sum has no state. */
    public static final int FURTHER = -1;

    public ThreadTotals {
        threads = List.copyOf(threads);
        totals = List.copyOf(totals);
        warnings = List.copyOf(warnings);
    }
}
