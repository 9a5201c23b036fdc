/**
 * The suspensions of runtimes as a recording observes them.
 *
 * <p>Readings of the latest suspension come in, and the samples of threads that delay one; each suspension that has
 * ended goes out, with its times and those samples. A reading that comes too late is counted.
 */
@NullMarked
package mayfly.record.suspension;

import org.jspecify.annotations.NullMarked;
