package mayfly.api.event;

import java.util.OptionalInt;

/**
 * The start of a compilation. The JVM does not log the descriptor of the method at this time.
 *
 * @param number the JVM's number of the compilation; {@link Deoptimization} has it too
 * @param className the class, such as {@code java.lang.String}
 * @param method the method's name
 * @param tier the level of the compiler, from 1 to 4, as in {@link Compilation}
 * @param loop for code that replaces a running method in a loop (on-stack replacement), the bytecode index of the loop
 */
public record CompilationStart(long number, String className, String method, int tier, OptionalInt loop) {}
