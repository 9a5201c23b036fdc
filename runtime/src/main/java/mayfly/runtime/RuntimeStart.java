package mayfly.runtime;

import java.util.Comparator;

/**
 * The start of a runtime. The runtimes of a process, of all kinds, are numbered by their starts, so that a runtime that
 * starts later has a higher number.
 *
 * @param ticks the time, in clock ticks since boot, at which the runtime's longest-lived thread started, as recorded by
 *         the kernel, see {@link mayfly.process.TargetThread#startTicks}
 * @param address the start address of the runtime's library, by which runtimes with equal times are ordered
 */
public record RuntimeStart(long ticks, long address) implements Comparable<RuntimeStart> {
    private static final Comparator<RuntimeStart> ORDER =
            Comparator.comparingLong(RuntimeStart::ticks).thenComparing(RuntimeStart::address, Long::compareUnsigned);

    @Override
    public int compareTo(RuntimeStart other) {
        return ORDER.compare(this, other);
    }
}
