package mayfly.record.collection;

import mayfly.runtime.collection.Collection.Kind;

/**
 * A pause of a collector.
 *
 * @param collector the runtime's name of the collector: untrusted text
 * @param cause the reason for the collection: untrusted text; empty if the runtime gives none
 * @param isCauseKnown false if the runtime gives a cause that was not read; {@code cause} then says so
 * @param begun the begin, CLOCK_MONOTONIC in ns
 * @param ended the end, CLOCK_MONOTONIC in ns; not before the begin
 * @param hasEnded false if the pause went on when the observation ended
 */
public record ObservedPause(
        String collector, Kind kind, String cause, boolean isCauseKnown, long begun, long ended, boolean hasEnded) {

    /** Returns its duration, ns. */
    public long nanos() {
        return ended - begun;
    }
}
