package mayfly.api;

/**
 * A frame of a walked stack.
 *
 * @param className its class's name with dots
 * @param method its method's name
 * @param line its line, -1 if not known
 * @param nativeMethod whether it is a native method
 */
public record StackFrame(String className, String method, int line, boolean nativeMethod) {
}
