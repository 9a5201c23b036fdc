package mayfly.runtime.thread;

/** The owner of a lock at one moment. */
public sealed interface LockOwner {

    /** No thread owns it, or its kind records no owner, such as a semaphore or the read lock of a pair. */
    LockOwner NONE = new None();

    /** The owner is not known: it changed while it was read, or the runtime does not record it where it can be read. */
    LockOwner UNKNOWN = new Unknown();

    /** See {@link LockOwner#NONE}. */
    record None() implements LockOwner {}

    /** See {@link LockOwner#UNKNOWN}. */
    record Unknown() implements LockOwner {}

    /**
     * A thread that the kernel runs. It owns the lock itself, or carries the virtual thread that does.
     *
     * @param thread one of {@link ManagedRuntime#threads}
     */
    record OfThread(ManagedThread thread) implements LockOwner {}

    /**
     * A virtual thread that is not mounted.
     *
     * @param managedId its {@code Thread.threadId()}
     */
    record OfUnmounted(long managedId) implements LockOwner {}
}
