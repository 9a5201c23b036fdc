/** The whole of Mayfly against real JVMs: what it must show, and what it must survive. */
@NullMarked
package mayfly.e2e;

import org.jspecify.annotations.NullMarked;
