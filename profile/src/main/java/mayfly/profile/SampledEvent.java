package mayfly.profile;

import java.util.List;

/**
 * An event of a recording. Its id is its index in {@link Recording#events}.
 *
 * @param name such as {@code cpu}: untrusted text if it was read from a file
 * @param unit the unit of the first measure, which reports add up
 * @param rate the requested samples per second, for each busy thread; 0 if the event has no rate
 * @param period the amount of the unit between two samples; 0 if it has no period, or if the rate determines it
 * @param measures the values of each sample, in order; the first one is a number
 */
public record SampledEvent(String name, Unit unit, int rate, long period, List<Measure> measures) {
    /** @throws IllegalArgumentException if the first measure is missing or is not a number, or if one occurs twice */
    public SampledEvent {
        measures = List.copyOf(measures);
        if (measures.isEmpty() || !measures.getFirst().isNumber()) {
            throw new IllegalArgumentException("the first measure of " + name + " is not a number");
        }
        if (measures.stream().distinct().count() != measures.size()) {
            throw new IllegalArgumentException("a measure of " + name + " is repeated");
        }
    }

    /** Creates an event whose samples have only {@link Measure#VALUE}. */
    public SampledEvent(String name, Unit unit, int rate) {
        this(name, unit, rate, 0, List.of(Measure.VALUE));
    }
}
