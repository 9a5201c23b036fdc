/**
 * The connection to a profiler's host: its record, its socket, the messages that cross the process boundary, and
 * failures. docs/formats/host-channel.md defines the layouts.
 */
@NullMarked
package mayfly.attach.channel;

import org.jspecify.annotations.NullMarked;
