/**
 * Starts real JVMs and the real launcher, communicates with them, and reports their output. For tests and benchmarks
 * only.
 */
@NullMarked
package mayfly.kit;

import org.jspecify.annotations.NullMarked;
