package mayfly.api;

/**
 * The code of a compiled method.
 *
 * @param className its class's name with dots; empty if the class is gone
 * @param name its name
 * @param descriptor its JVM descriptor, such as {@code (I)V}
 * @param address where its code begins
 * @param size bytes of code
 */
public record CompiledMethod(String className, String name, String descriptor, long address, int size) {
}
