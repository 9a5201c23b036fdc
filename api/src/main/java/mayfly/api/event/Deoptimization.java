package mayfly.api.event;

import java.util.OptionalInt;

/**
 * A thread has left compiled code and continues in the interpreter, because an assumption of the compiler was wrong (an
 * uncommon trap). The names of reasons and actions are those of the JVM.
 *
 * @param compilation the JVM's number of the compilation that made the code
 * @param className the class of the method, such as {@code java.lang.String}. The method contains the bytecode at which
 *     the assumption was wrong: it is the compiled method or one that is inlined in it
 * @param method the method's name
 * @param descriptor the method's descriptor, such as {@code (I)C}
 * @param bytecodeIndex the index of the bytecode in that method
 * @param tier the level of the compiler that made the code, 4 for C2
 * @param loop if the code had replaced a running method in a loop (on-stack replacement), the bytecode index of the
 *     loop
 * @param reason the assumption, such as {@code class_check}, {@code unstable_if} or {@code null_check}
 * @param action the consequence for the code, such as {@code reinterpret}, {@code maybe_recompile} or {@code none}
 */
public record Deoptimization(
        long compilation,
        String className,
        String method,
        String descriptor,
        int bytecodeIndex,
        int tier,
        OptionalInt loop,
        String reason,
        String action) {}
