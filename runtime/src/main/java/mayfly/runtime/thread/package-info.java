/**
 * The threads of a managed runtime: their states, the locks for which they wait, the owners of locks, and threads that
 * no thread of the kernel runs. A {@code ManagedRuntime} returns these data, and the reason where one could not be
 * read.
 */
@org.jspecify.annotations.NullMarked
package mayfly.runtime.thread;
