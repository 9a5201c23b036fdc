/**
 * Attaches a profiler to a running JVM, sends commands to it, and detaches it.
 */
@NullMarked
package mayfly.attach.client;

import org.jspecify.annotations.NullMarked;
