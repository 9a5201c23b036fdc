/**
 * The locks of the threads of a dump: those for which they wait with their owners, the monitors that their frames have
 * entered, and deadlocks.
 *
 * <p>Start reading at {@link LockReading}. {@link ThreadMonitors} reads during the walk of a thread; {@link
 * DeadlockSearch} runs after all walks.
 */
@org.jspecify.annotations.NullMarked
package mayfly.stack.lock;
