/**
 * The parts of a thread dump beyond the stacks of threads: states, locks and deadlocks, and virtual threads that are
 * not mounted. A {@code ThreadDump} contains them.
 */
@org.jspecify.annotations.NullMarked
package mayfly.stack.state;
