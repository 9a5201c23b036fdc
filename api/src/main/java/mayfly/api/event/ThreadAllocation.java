package mayfly.api.event;

import mayfly.api.ThreadId;

/**
 * The bytes that a thread has allocated in the Java heap between two looks of the host.
 *
 * @param thread the thread, which is a platform thread; the bytes of the virtual threads that it carries are included
 * @param bytes the bytes allocated since the last look, more than 0; since its start, for a thread that started after
 *     that look. Bytes before the first look after the subscription are not included
 * @param total the bytes that the thread has allocated since its start, as the JVM counts them. The JVM's count may be
 *     too high by one allocation buffer (TLAB) for a moment; {@code bytes} of the next looks are lower then
 */
public record ThreadAllocation(ThreadId thread, long bytes, long total) {}
