/**
 * The messages on a host's channel: their types, the offsets in their payloads, sizes and flags.
 * docs/formats/host-channel.md specifies them.
 */
@NullMarked
package mayfly.wire.message;

import org.jspecify.annotations.NullMarked;
