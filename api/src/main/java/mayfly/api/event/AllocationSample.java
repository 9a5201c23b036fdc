package mayfly.api.event;

import mayfly.api.ClassId;
import mayfly.api.ThreadId;

/**
 * An allocation that the JVM has chosen as a sample (JVMTI, SampledObjectAlloc).
 *
 * <p>The JVM draws the distance to a thread's next sample from an exponential distribution, whose mean is the sampling
 * interval <i>i</i>. It therefore chooses an object of <i>s</i> bytes with the probability
 * <i>p</i> = 1 - exp(-<i>s</i>/<i>i</i>). A chosen object stands for <i>s</i>/<i>p</i> bytes. The expected sum of these
 * numbers, for any subset of the objects, is the number of bytes allocated. The relative standard error of a sum of
 * <i>n</i> samples is at most about 1/&radic;<i>n</i>. The number of objects is estimated in the same way:
 * {@code estimatedBytes} divided by {@code size}.
 *
 * <p>The JVM deviates from this in four cases:
 *
 * <ul>
 *   <li>A thread that runs when the profiler subscribes has samples from its next allocation buffer (TLAB) on.
 *   <li>A thread's first sample after a change of the interval was drawn with the previous interval.
 *   <li>On JDK 17, the bytes of an object that is allocated outside of a TLAB and is about as large as the interval are
 *       underestimated by up to 30 %, and those of small objects that its thread allocates in between are overestimated
 *       as much. An interval of at most an eighth of the size of such objects avoids this. JDK 25 does not have this
 *       error.
 *   <li>The distances drawn for successive threads are not independent. In measurements with thousands of short-lived
 *       threads, the estimate of all their bytes was wrong by up to a factor of three if each thread allocated an
 *       eighth of the interval, by up to 40 % if it allocated the interval, and by up to 11 % if it allocated ten times
 *       the interval.
 * </ul>
 *
 * @param thread the thread, which may be a virtual thread
 * @param type the class of the object, which may be an array
 * @param size the size of the object in bytes, with its header and padding
 * @param estimatedBytes the number of bytes that this sample stands for, at least {@code size}
 */
public record AllocationSample(ThreadId thread, ClassId type, long size, long estimatedBytes) {}
