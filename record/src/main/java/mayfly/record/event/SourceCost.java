package mayfly.record.event;

import java.util.List;

/**
 * The cost of a source to its target.
 *
 * @param stopMicros the usual time for which a sample stops its thread, in microseconds; 0 if it never stops one
 * @param maxHz the highest rate that the source is used for; {@link #ANY_RATE} if the kernel alone limits it
 * @param copies the bytes of the stack that are copied for each sample, by ascending rate
 */
public record SourceCost(int stopMicros, int maxHz, List<StackCopy> copies) {
    /** The rate of a source that only the kernel limits. */
    public static final int ANY_RATE = Integer.MAX_VALUE;

    /**
     * The copy of a sample's stack.
     *
     * @param upToHz the highest rate at which this many bytes are copied
     * @param bytes an upper bound, a multiple of 8
     */
    public record StackCopy(int upToHz, int bytes) {}

    /** @throws IllegalArgumentException if the copies do not ascend to the highest rate */
    public SourceCost {
        copies = List.copyOf(copies);
        int covered = 0;
        for (StackCopy copy : copies) {
            if (copy.upToHz <= covered) {
                throw new IllegalArgumentException("the copies do not ascend by their rates");
            }
            covered = copy.upToHz;
        }
        if (covered < maxHz) {
            throw new IllegalArgumentException("no copy above " + covered + " Hz");
        }
    }

    /** Returns true if the source stops threads. */
    public boolean stops() {
        return stopMicros > 0;
    }

    /** Returns the rate that the source uses if the given rate is requested. */
    public int rate(int askedHz) {
        return Math.min(askedHz, maxHz);
    }

    /** Returns the upper bound on the copied bytes of the stack at a rate. */
    public int stackBytes(int askedHz) {
        int hz = rate(askedHz);
        return copies.stream().filter(copy -> hz <= copy.upToHz).findFirst().orElseThrow().bytes;
    }
}
