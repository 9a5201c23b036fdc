/**
 * Answers of the JVM about its heap. The classes are public for the host's own package; no other code uses them.
 */
package mayfly.host.heap;
