/**
 * The locks for which the threads of a VM wait, and their owners: monitors, and the synchronizers of
 * java.util.concurrent. The monitors that frames have entered.
 *
 * <p>A {@link mayfly.runtime.thread.ManagedThread} comes in; a {@link mayfly.runtime.thread.LockWait} goes out, and
 * for that a {@link mayfly.runtime.thread.LockOwner}. Start reading at {@link ThreadLocks}. {@link Monitors} reads an
 * ObjectMonitor, and {@link OwnerTable} finds the thread that the value in it names.
 *
 * <p>The threads run on while they are read. A wait is accepted if it is the same after its object was read, and if no
 * collection has moved objects meanwhile.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.locks;
