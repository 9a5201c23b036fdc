/**
 * Every number, offset and name that the client, the host and its C library share. docs/formats/host-channel.md and
 * docs/formats/launch-file.md define their meaning.
 *
 * <p>Classes in this package contain compile-time constants only. javac copies their values into the classes that use
 * them, so no class of this package is loaded into a target. (javac also names such a class in the constant pool, for
 * tools that find dependencies; no instruction refers to that entry.) {@link mayfly.wire.Header} writes the same
 * constants as a C header before the C sources are compiled. A constant {@code NAME} of a class {@code ThisClass} is
 * {@code THIS_CLASS_NAME} in C.
 *
 * <p>Processes with different versions of Mayfly exchange these values. A released value never changes; new ones are
 * added.
 */
@NullMarked
package mayfly.wire;

import org.jspecify.annotations.NullMarked;
