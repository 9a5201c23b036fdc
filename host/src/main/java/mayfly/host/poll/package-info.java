/** Polled events: samples of the program's threads, which the host takes at an interval. */
@NullMarked
package mayfly.host.poll;

import org.jspecify.annotations.NullMarked;
