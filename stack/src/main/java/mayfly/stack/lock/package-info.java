/**
 * The locks of the threads of a dump: those for which they wait with their owners, the monitors that their frames have
 * entered, and deadlocks.
 *
 * <p>Start reading at {@link LockReading}. {@link ThreadMonitors} reads during the walk of a thread. {@link
 * DeadlockSearch} runs after all walks; a dump with virtual threads has a {@link LockMoment} instead, which is read
 * while all threads are stopped.
 */
@org.jspecify.annotations.NullMarked
package mayfly.stack.lock;
