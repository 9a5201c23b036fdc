/**
 * The threads of a VM: their list, and the name, the state and the identity of each.
 *
 * <p>The memory of the VM comes in; the threads of {@link mayfly.runtime.ManagedRuntime#threads} and a
 * {@link mayfly.runtime.thread.ManagedThreadInfo} for one of them go out. Start reading at {@link ThreadList}, which
 * follows the VM's own list, and at {@link ThreadInfos}, which reads a JavaThread and the {@code java.lang.Thread}
 * that it points to. {@link ThreadStates} derives the activity from two values of the VM. {@link VmThreads} completes
 * the names of threads that no table lists.
 *
 * <p>The VM frees a list or a thread at any time and reuses the memory. A list is read again if it was replaced, and
 * an object is accepted only if it points back to its thread. A value of a thread that cannot be read is missing, and
 * the result has the reason.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.threads;
