package mayfly.api;

/**
 * The time of an event or of a request. An event whose sequence is greater than that of an enumeration is more recent:
 * the item has ended, or begun, since the enumeration.
 *
 * @param sequence a number that increases with each event and each enumeration. An event gets it when it occurs, or, if
 *         it is the unloading of a class or module, when that is detected. An event that waits for the host's thread is
 *         delivered later than events with greater numbers
 * @param nanos the time in ns, as returned by {@link System#nanoTime()}
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
