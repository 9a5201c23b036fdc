package mayfly.api.probe;

import mayfly.api.code.MethodId;

/**
 * A method with a probe.
 *
 * @param id the method, which {@code describe} describes
 * @param className the name of its class, as {@link Class#getName}: untrusted text
 * @param name the method's name: untrusted text
 * @param descriptor the JVM descriptor, such as {@code (I)V}: untrusted text
 * @param reports true if calls of the method are reported
 */
public record ProbedMethod(MethodId id, String className, String name, String descriptor, boolean reports) {}
