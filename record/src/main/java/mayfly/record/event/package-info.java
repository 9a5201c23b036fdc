/**
 * The events that a recording can sample, and the sources of their samples.
 *
 * <p>{@link RecordingEvent} is the table of the events: each row defines the quantity that the samples of an event
 * count, and lists the sources that can take them. {@link SourceKind} is a source as data: its needs, its cost, its
 * limits, and how it is opened. {@link EventSource} is an open source, which passes each sample to a {@link
 * SampleSink}. A new source is a class that implements it and has its kind as a constant, and an entry in a row of the
 * table.
 *
 * <p>A source counts its losses and reports them by {@link EventSource#account}; limits that it cannot count are
 * sentences in its kind. The id of an event is written to captures and never changes.
 */
@org.jspecify.annotations.NullMarked
package mayfly.record.event;
