/**
 * The Java half of the host. Its classes are defined from memory in a class loader of their own and go with it, so they are
 * sparing: no lambda, no string concatenation by {@code invokedynamic}, nothing that makes the JVM generate a class.
 */
package mayfly.host;
