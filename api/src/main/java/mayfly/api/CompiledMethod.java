package mayfly.api;

import java.util.List;
import mayfly.api.event.InlinedMethod;

/**
 * The code of a compiled method.
 *
 * @param className the class name as {@link Class#getName}; empty if the class has been unloaded
 * @param name the method name
 * @param descriptor the JVM descriptor, such as {@code (I)V}
 * @param address the start address of the code
 * @param size the size of the code in bytes
 * @param inlined the methods that the compiler has inlined in this code, directly or in another inlined method, each
 *     once, in no order; at most 1,024. A method of which no debug information is left in the code is not among them,
 *     such as one that consists of a few instructions only
 * @param allInlined true if {@code inlined} has all inlined methods with debug information; false if there are more
 *     than 1,024, or if one of them is no longer known to the JVM
 */
public record CompiledMethod(
        String className,
        String name,
        String descriptor,
        long address,
        int size,
        List<InlinedMethod> inlined,
        boolean allInlined) {}
