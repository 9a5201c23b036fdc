/** Stacks of threads on demand: one thread as a callback, or all threads as a dump. */
@org.jspecify.annotations.NullMarked
package mayfly.stack;
