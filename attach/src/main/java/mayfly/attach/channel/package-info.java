/**
 * The connection to a host in a target: its record, its socket, and the messages and failures that cross the process
 * boundary. docs/formats/host-channel.md defines the layouts; their numbers are in {@code wire}.
 *
 * <p>Start reading at {@link HostRecord}, which shows from outside whether a process has a host and in which state,
 * even while the process is stopped; {@link HostStatus} is its form for users. {@link HostChannel} connects to the
 * host's socket and exchanges {@link ChannelMessage}s. Each failure is an {@link AttachFailed} with a {@link
 * mayfly.api.Status}.
 *
 * <p>Every wait has a {@link Deadline}, including the one for the connection: a stopped or hanging target cannot block
 * a command. The data comes from another process: a record is checked before it is used, a message has a maximum
 * length, and the listener must be the target itself.
 */
@NullMarked
package mayfly.attach.channel;

import org.jspecify.annotations.NullMarked;
