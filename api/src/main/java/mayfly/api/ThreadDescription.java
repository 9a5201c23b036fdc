package mayfly.api;

/**
 * A thread, as it was when it was asked about.
 *
 * @param id its id
 * @param name its name: untrusted text
 * @param javaId what {@code Thread.getId} answers unless a class of the program overrides it
 * @param daemon whether it is a daemon
 */
public record ThreadDescription(ThreadId id, String name, long javaId, boolean daemon) {
}
