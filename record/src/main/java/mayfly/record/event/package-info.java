/**
 * The events that a recording can sample, and the sources of their samples.
 *
 * <p>{@link mayfly.record.event.RecordingEvent} is the table of the events: each row defines the quantity that the
 * samples of an event count, and lists the sources that can take them. {@link mayfly.record.event.SourceKind} is a
 * source as data: its needs, its cost, its limits, and how it is opened. {@link mayfly.record.event.EventSource} is an
 * open source. A new source is a class that implements it, with its kind beside it, and a row in the table.
 */
@org.jspecify.annotations.NullMarked
package mayfly.record.event;
