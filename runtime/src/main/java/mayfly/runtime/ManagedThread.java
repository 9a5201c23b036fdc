package mayfly.runtime;

/**
 * A thread of a runtime.
 *
 * @param tid the kernel's id of it, in the target's own pid namespace
 * @param handle the runtime's own structure for it, an address in the target
 */
public record ManagedThread(int tid, long handle) {
}
