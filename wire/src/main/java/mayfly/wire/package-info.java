/**
 * Every number, offset and name that the trigger, the host and its C library have in common.
 * docs/formats/host-channel.md and docs/formats/launch-file.md define their meaning.
 *
 * <p>A class here or in {@code launch} has compile-time constants only. javac copies their values into the classes that use them, so no
 * class of this package is loaded into a target. (javac also names such a class in the constant pool, for tools that
 * find dependencies; no instruction refers to that entry.) {@link mayfly.wire.Header} writes the same constants as a C
 * header before the C sources are compiled. A constant {@code NAME} of a class {@code ThisClass} is
 * {@code THIS_CLASS_NAME} in C.
 *
 * <p>Processes with different versions of Mayfly exchange these values. A value that was released does not change; new
 * ones are added.
 */
@NullMarked
package mayfly.wire;

import org.jspecify.annotations.NullMarked;
