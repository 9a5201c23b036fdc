/**
 * The connection to a profiler's host: its record, its socket, the messages that cross the process's border, and
 * failures. docs/formats/host-channel.md has their layouts.
 */
@NullMarked
package mayfly.attach.channel;

import org.jspecify.annotations.NullMarked;
