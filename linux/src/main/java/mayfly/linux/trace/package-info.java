/** ptrace(2): threads are stopped, copied and released. */
@org.jspecify.annotations.NullMarked
package mayfly.linux.trace;
