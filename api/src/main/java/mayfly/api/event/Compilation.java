package mayfly.api.event;

import java.util.OptionalInt;

/**
 * Code of a method that the JVM has compiled and will use from now on.
 *
 * @param className the class, such as {@code java.lang.String}
 * @param method the method's name
 * @param descriptor the method's descriptor, such as {@code (I)C}
 * @param tier the level of the compiler, from 1 to 4: 1 to 3 are C1, without, with limited and with full profiling, and
 *     4 is C2
 * @param loop for code that replaces a running method in a loop (on-stack replacement), the bytecode index of the loop
 */
public record Compilation(String className, String method, String descriptor, int tier, OptionalInt loop) {}
