/**
 * The Java half of the host. Its classes are defined from memory in their own class loader and are unloaded with it.
 * They therefore use no lambda, no string concatenation by {@code invokedynamic}, and nothing else that makes the JVM
 * generate a class.
 */
package mayfly.host;
