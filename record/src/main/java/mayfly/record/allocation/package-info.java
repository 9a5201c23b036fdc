/**
 * The bytes that threads allocate, as a recording observes them.
 *
 * <p>Readings of each thread's counter come in; each sample of a thread takes the bytes that the thread has allocated
 * since its sample before. The bytes of a thread without a sample go out by themselves.
 */
@NullMarked
package mayfly.record.allocation;

import org.jspecify.annotations.NullMarked;
