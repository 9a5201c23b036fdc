/**
 * Programs to be profiled. Each prints a line that starts with {@code READY} when it has reached the state that the
 * test needs, answers each line of its standard input with one line, and ends at the line {@code exit} or when its
 * input closes.
 */
@NullMarked
package mayfly.targets;

import org.jspecify.annotations.NullMarked;
