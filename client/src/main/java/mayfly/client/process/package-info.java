/** Runs a child process within bounds, and permits it to inspect this process. */
@NullMarked
package mayfly.client.process;

import org.jspecify.annotations.NullMarked;
