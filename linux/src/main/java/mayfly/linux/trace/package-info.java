/**
 * Copies the registers and the stacks of threads that are stopped by ptrace(2), and starts programs that are stopped
 * before their first instruction.
 *
 * <p>A thread id comes in; a {@link ThreadSnapshot} goes out, with an outcome that says whether the copy succeeded.
 * Start reading at {@link ThreadStopper}, which stops one thread for some microseconds. {@link AllThreadsSnapshot}
 * stops all threads of a process at one moment. {@link Ptrace} has the calls, {@link StopClock} measures the stops, and
 * {@link Spawn} starts a command that waits until it is resumed.
 *
 * <p>No thread of the target stays stopped, however Mayfly ends. The kernel ties a traced thread to the thread that
 * seized it, and releases it when that thread ends; therefore one platform thread does all the work of an object, and
 * PTRACE_O_EXITKILL is never set. A thread whose system call a stop would interrupt is copied without a stop.
 */
@org.jspecify.annotations.NullMarked
package mayfly.linux.trace;
