package mayfly.api;

/**
 * When something happened, or was asked for. An event whose sequence is greater than that of an enumeration outranks what
 * the enumeration said: the thing has ended since, or begun.
 *
 * @param sequence a number that grows from event to event and from enumeration to enumeration
 * @param nanos the time as {@link System#nanoTime()} tells it
 */
public record Stamp(long sequence, long nanos) {

    @Override
    public boolean equals(Object other) {
        return other instanceof Stamp && ((Stamp) other).sequence == sequence && ((Stamp) other).nanos == nanos;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(sequence);
    }

    @Override
    public String toString() {
        return sequence + " at " + nanos + " ns";
    }
}
