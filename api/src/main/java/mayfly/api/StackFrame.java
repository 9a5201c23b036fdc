package mayfly.api;

import java.util.Optional;
import mayfly.api.code.MethodId;

/**
 * A frame of a walked stack.
 *
 * <p>A walk of the calling thread gives the class, the method and the bytecode index of each frame. A walk of another
 * thread gives the class, and the method if its class has only one method of that name: the JVM reports no more without
 * JVMTI. A walk of the calling thread with hidden frames, or of more than 1,024 frames
 * ({@code -XX:MaxJavaStackTraceDepth}), is like that of another thread; both are missing if it is a virtual thread.
 *
 * @param className the class name with dots
 * @param method the method name
 * @param line the line number, -1 if unknown
 * @param nativeMethod true if the method is native
 * @param type the class, if it is known
 * @param methodId the method, if it is known
 * @param bytecodeIndex the index in the method's bytecode of the instruction that is executed, also in code that an
 *         agent has replaced since it was entered; -1 if unknown, and for a native method
 */
public record StackFrame(
        String className,
        String method,
        int line,
        boolean nativeMethod,
        Optional<ClassId> type,
        Optional<MethodId> methodId,
        int bytecodeIndex) {

    /** Creates a frame of which only the names are known. */
    public StackFrame(String className, String method, int line, boolean nativeMethod) {
        this(className, method, line, nativeMethod, Optional.empty(), Optional.empty(), -1);
    }
}
