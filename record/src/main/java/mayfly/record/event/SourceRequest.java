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
 */
public record SourceRequest(InspectedProcess target, int rateHz, boolean kernel, boolean spawned, long minWaitNanos) {}
