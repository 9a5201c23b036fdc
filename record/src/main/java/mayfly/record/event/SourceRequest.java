package mayfly.record.event;

import mayfly.discovery.InspectedProcess;

/**
 * The target and the options for a source that is to be opened.
 *
 * @param target the process to sample
 * @param rateHz samples per second, for each thread
 * @param kernel true to include kernel frames, if they are permitted
 * @param spawned true if sampling starts when the target, which Mayfly has started, calls execve(2)
 * @param minWaitNanos the shortest wait that is a sample of its own, ns; for events that record waits
 * @param sources the number of sources that are to be opened from now on, with this one: they share the kernel's memory
 *     for samples
 */
public record SourceRequest(
        InspectedProcess target, int rateHz, boolean kernel, boolean spawned, long minWaitNanos, int sources) {

    /** Creates the request for the only source. */
    public SourceRequest(InspectedProcess target, int rateHz, boolean kernel, boolean spawned, long minWaitNanos) {
        this(target, rateHz, kernel, spawned, minWaitNanos, 1);
    }

    /** Returns the same request at another rate. */
    SourceRequest at(int hz) {
        return new SourceRequest(target, hz, kernel, spawned, minWaitNanos, sources);
    }

    /** Returns the same request for one of several sources. */
    SourceRequest of(int number) {
        return new SourceRequest(target, rateHz, kernel, spawned, minWaitNanos, number);
    }
}
