/**
 * The live process, and the only module of the command with native access: {@code --enable-native-access} names it
 * alone. This package combines the classes of {@code sys}, {@code proc}, {@code trace}, {@code perf} and {@code bpf},
 * each of which has the interfaces of one part of the kernel.
 *
 * <p>A process id comes in; a {@link LiveProcess} goes out, or a {@link ProcessUnavailable} with the reason. The live
 * process offers its memory ({@link ProcessMemory}), mappings, mapped files, threads, descriptors and status. {@link
 * ProcessImage} identifies the program between two calls of execve(2), and {@link HeldAddressSpace} keeps the memory of
 * a process readable after its end.
 *
 * <p>A {@link LiveProcess} never refers to a later process with the same id, because it holds a pidfd. A file of the
 * target is opened for reading only after its type has been checked, because the target may have put a device or a pipe
 * in its place.
 */
@org.jspecify.annotations.NullMarked
package mayfly.linux;
