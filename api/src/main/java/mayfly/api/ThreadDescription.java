package mayfly.api;

/**
 * The description of a thread at the time of the call.
 *
 * @param id the thread
 * @param name the thread name: untrusted text
 * @param javaId the thread's number, which {@code Thread.getId} returns unless a class of the program overrides it
 * @param daemon true if it is a daemon thread
 */
public record ThreadDescription(ThreadId id, String name, long javaId, boolean daemon) {}
