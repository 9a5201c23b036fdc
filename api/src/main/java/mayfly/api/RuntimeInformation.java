package mayfly.api;

/**
 * The runtime that contains the profiler.
 *
 * @param runtime the number of the runtime in its ids
 * @param feature the feature version of the JDK, such as 25
 * @param version the full version, such as {@code 25.0.3+9-LTS}
 * @param vm the name of the virtual machine
 * @param library the address at which its library, {@code libjvm.so}, is mapped in the process
 */
public record RuntimeInformation(int runtime, int feature, String version, String vm, long library) {}
