/** End-to-end tests of Mayfly against real JVMs: its guarantees, and the failures that it must survive. */
@NullMarked
package mayfly.e2e;

import org.jspecify.annotations.NullMarked;
