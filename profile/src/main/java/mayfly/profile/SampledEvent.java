package mayfly.profile;

import java.util.List;

/**
 * An event of a recording. Its id is its place in {@link Recording#events}.
 *
 * @param name such as {@code cpu}: untrusted text if it was read from a file
 * @param unit the unit of the first measure, which is the one that reports add up
 * @param rate samples per second asked for, for each busy thread; 0 if the event has no rate
 * @param period how much of the unit lies between two samples; 0 if it has no period, or if it follows from the rate
 * @param measures the values that each sample carries, in their order. The first one is a number
 */
public record SampledEvent(String name, Unit unit, int rate, long period, List<Measure> measures) {
    /** @throws IllegalArgumentException if there is no first measure that is a number, or one is there twice */
    public SampledEvent {
        measures = List.copyOf(measures);
        if (measures.isEmpty() || !measures.getFirst().isNumber()) {
            throw new IllegalArgumentException("the first measure of " + name + " is no number");
        }
        if (measures.stream().distinct().count() != measures.size()) {
            throw new IllegalArgumentException("a measure of " + name + " is there twice");
        }
    }

    /** An event whose samples carry {@link Measure#VALUE} alone. */
    public SampledEvent(String name, Unit unit, int rate) {
        this(name, unit, rate, 0, List.of(Measure.VALUE));
    }
}
