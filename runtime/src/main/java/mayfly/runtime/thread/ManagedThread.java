package mayfly.runtime.thread;

/**
 * A thread of a runtime.
 *
 * @param tid its kernel thread id, in the target's own pid namespace
 * @param handle the address of the runtime's structure for it, in the target
 */
public record ManagedThread(int tid, long handle) {}
