package mayfly.api.event;

import java.time.Duration;
import java.util.OptionalLong;
import mayfly.api.Event;
import mayfly.api.Suspension;

/**
 * A pause of the JVM for a garbage collection, as its log describes it. The sizes have the log's precision of a unit:
 * usually a mebibyte. They are absent if the collector does not log them, as for the pauses of ZGC.
 *
 * @param number the number of the collection, from 0; several pauses can belong to one collection
 * @param kind the kind of pause in the words of the JVM, such as {@code Young (Normal)}, {@code Full} or {@code Remark}
 * @param cause the cause in the words of the JVM, such as {@code G1 Evacuation Pause} or {@code System.gc()}; empty if
 *     the JVM does not log one
 * @param pause the duration of the pause, without the time that the threads needed to stop
 * @param usedBefore the bytes of the heap in use before the pause
 * @param usedAfter the bytes of the heap in use after the pause
 * @param capacity the size of the heap after the pause, in bytes
 * @param suspension the number of the suspension of all threads during which this pause took place
 *     ({@link Suspension#number}): a suspension can have several pauses, such as a young collection and the full one
 *     after it. Absent if {@link Event#SUSPENSIONS} was not subscribed to, and during the call that subscribes to it.
 *     The suspension is reported after the pause, unless its line of the log is lost or the subscription ends
 *     meanwhile
 */
public record GarbageCollection(
        long number,
        String kind,
        String cause,
        Duration pause,
        OptionalLong usedBefore,
        OptionalLong usedAfter,
        OptionalLong capacity,
        OptionalLong suspension) {}
