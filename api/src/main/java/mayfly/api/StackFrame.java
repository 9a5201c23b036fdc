package mayfly.api;

/**
 * A frame of a walked stack.
 *
 * @param className the class name with dots
 * @param method the method name
 * @param line the line number, -1 if unknown
 * @param nativeMethod true if the method is native
 */
public record StackFrame(String className, String method, int line, boolean nativeMethod) {}
