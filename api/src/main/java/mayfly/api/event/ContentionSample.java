package mayfly.api.event;

import java.util.Optional;
import mayfly.api.ThreadId;
import mayfly.api.thread.Blocker;

/**
 * A thread that waited to enter a monitor when the host looked. It is a sample: the sum of {@code nanos} estimates the
 * time of contention, for any subset of the threads and monitors. A contention that is much shorter than the interval
 * between two looks is usually not seen, and stands for the whole interval if it is.
 *
 * @param thread the thread, which is a platform thread
 * @param nanos the time that this sample stands for, ns: the time since the last look
 * @param monitor the object whose monitor the thread waited for, with its class; {@link Blocker#identity} is the same
 *     as {@link ObjectMonitor#identity}. Absent if the JVM does not state it, which is always so before JDK 25 if the
 *     program has not used {@code java.lang.management}, if the monitor had no owner at that moment, and for the 65th
 *     thread and further ones of a look
 * @param owner the thread that owned the monitor; absent if {@code monitor} is, or if the program has not used
 *     {@code java.lang.management}
 */
public record ContentionSample(ThreadId thread, long nanos, Optional<Blocker> monitor, Optional<ThreadId> owner) {}
