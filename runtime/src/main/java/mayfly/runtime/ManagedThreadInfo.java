package mayfly.runtime;

import org.jspecify.annotations.Nullable;

/**
 * What a runtime says of one of its threads at one moment.
 *
 * @param name its name in the language, untrusted text of any characters; null if it could not be read
 * @param state what it is doing; {@link ManagedThreadState#UNKNOWN} if that could not be read
 * @param daemon whether the runtime may end while it runs; false also if that could not be read
 * @param managedId the runtime's own number of it, {@code Thread.threadId()}; 0 if unknown
 * @param mounted the virtual thread that it carries now; null if none, or if that could not be read
 * @param unread why name, daemon and number are missing, and why the state says no more; null if all was read
 */
public record ManagedThreadInfo(@Nullable String name, ManagedThreadState state, boolean daemon, long managedId,
        @Nullable Mounted mounted, @Nullable Unread unread) {

    /**
     * A virtual thread that is mounted on a carrier.
     *
     * @param name its name, untrusted text, often empty
     * @param managedId its {@code Thread.threadId()}
     */
    public record Mounted(String name, long managedId) {
    }

    /** A thread of which all could be read and that carries no other. */
    public ManagedThreadInfo(@Nullable String name, ManagedThreadState state, boolean daemon, long managedId) {
        this(name, state, daemon, managedId, null, null);
    }

    /** A thread of which no more is known than what it is doing. */
    public static ManagedThreadInfo unread(ManagedThreadState state, Unread reason) {
        return new ManagedThreadInfo(null, state, false, 0, null, reason);
    }
}
