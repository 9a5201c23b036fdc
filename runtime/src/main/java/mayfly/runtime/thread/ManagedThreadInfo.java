package mayfly.runtime.thread;

import org.jspecify.annotations.Nullable;

/**
 * A runtime's data on one of its threads at one moment.
 *
 * @param name its name in the language, untrusted text of any characters; null if it could not be read
 * @param state its activity; {@link ManagedThreadState#UNKNOWN} if it could not be read
 * @param daemon true if the runtime may end while the thread runs; false also if it could not be read
 * @param managedId its number in the runtime, {@code Thread.threadId()}; 0 if unknown
 * @param mounted the virtual thread that it currently carries; null if none, or if it could not be read
 * @param unread the reason why the name is missing; daemon and managedId can then be missing too, and the state can be
 *     less specific; null if all were read
 */
public record ManagedThreadInfo(
        @Nullable String name,
        ManagedThreadState state,
        boolean daemon,
        long managedId,
        @Nullable Mounted mounted,
        @Nullable Unread unread) {

    /**
     * A virtual thread that is mounted on a carrier.
     *
     * @param name its name, untrusted text, often empty
     * @param managedId its {@code Thread.threadId()}
     */
    public record Mounted(String name, long managedId) {}

    /** Creates the data of a thread that was read completely and carries no virtual thread. */
    public ManagedThreadInfo(@Nullable String name, ManagedThreadState state, boolean daemon, long managedId) {
        this(name, state, daemon, managedId, null, null);
    }

    /** Returns the data of a thread of which only the state is known. */
    public static ManagedThreadInfo unread(ManagedThreadState state, Unread reason) {
        return new ManagedThreadInfo(null, state, false, 0, null, reason);
    }
}
