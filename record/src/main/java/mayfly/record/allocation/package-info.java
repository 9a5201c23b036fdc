/**
 * The bytes that threads allocate, as a recording observes them.
 *
 * <p>Readings of each thread's counter come in, and samples. The bytes of a thread are divided among its samples, in
 * proportion to the rates at which it allocated at their times, and to the times for which they stand. The bytes of a
 * thread without a sample are reported by themselves.
 */
@NullMarked
package mayfly.record.allocation;

import org.jspecify.annotations.NullMarked;
