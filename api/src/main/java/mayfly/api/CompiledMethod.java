package mayfly.api;

/**
 * The code of a compiled method.
 *
 * @param className the class name with dots; empty if the class has been unloaded
 * @param name the method name
 * @param descriptor the JVM descriptor, such as {@code (I)V}
 * @param address the start address of the code
 * @param size the size of the code in bytes
 */
public record CompiledMethod(String className, String name, String descriptor, long address, int size) {}
