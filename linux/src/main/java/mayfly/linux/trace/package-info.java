/** ptrace(2): stops, copies and releases threads. */
@org.jspecify.annotations.NullMarked
package mayfly.linux.trace;
