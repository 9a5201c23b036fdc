/**
 * The pauses of garbage collectors as a recording observes them.
 *
 * <p>Readings of the latest pause of each collector come in; each pause that has ended goes out, with its times. A
 * pause that no reading saw is counted.
 */
@NullMarked
package mayfly.record.collection;

import org.jspecify.annotations.NullMarked;
