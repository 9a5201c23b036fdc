/**
 * The targets of probes, subclasses of a class of the JDK that is initialised with them. They are sent only with a
 * profiler whose manifest lists the event, and defined when the first probe is inserted.
 */
package mayfly.host.probe.slot;
