/** Starts real JVMs and the real launcher, talks to them, and says what they showed. For tests and benches only. */
@NullMarked
package mayfly.kit;

import org.jspecify.annotations.NullMarked;
