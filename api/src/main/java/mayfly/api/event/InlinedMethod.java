package mayfly.api.event;

/**
 * A method that a compiler has inlined in another.
 *
 * @param className the class name as {@link Class#getName}; empty if the class has been unloaded
 * @param name the method name
 * @param descriptor the JVM descriptor, such as {@code (I)V}
 */
public record InlinedMethod(String className, String name, String descriptor) {}
