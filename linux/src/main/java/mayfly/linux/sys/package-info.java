/**
 * System calls and the objects that they return, in general one class for each call. The first line of such a class
 * names the manual page.
 *
 * <p>{@link Syscall} is the entry point to the kernel: numbers and addresses come in, and the kernel's result goes out,
 * at least 0 or a negated errno. The other classes give a call its Java form: {@link Fd}, {@link Pidfd}, {@link Memfd},
 * {@link HeldPath} and {@link NewFile} own a descriptor and close it; {@link Open} opens paths; {@link Poll} waits.
 * Failures are {@link ErrnoException}s with the call, its object and the error. {@link X86Abi} has the layout of the
 * registers of x86-64.
 *
 * <p>Numbers and layouts of structures are constants, which a test compares with the C headers. A descriptor is closed
 * exactly once, because its number may belong to another file afterwards.
 */
@org.jspecify.annotations.NullMarked
package mayfly.linux.sys;
