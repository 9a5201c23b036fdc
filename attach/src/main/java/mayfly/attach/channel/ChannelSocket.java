package mayfly.attach.channel;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.api.Status;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.HeldPath;
import mayfly.wire.HostName;

/**
 * The socket of a host's channel. Its name has been removed. The host holds a descriptor of it (O_PATH), through which
 * a client connects by proc(5), independently of the target's current user and root directory.
 */
final class ChannelSocket {
    /** The path of the socket, in a directory of the host or in that of its library. */
    private static final Pattern CHANNEL = Pattern.compile("/[a-z/0-9]{1,40}(/" + Pattern.quote(HostName.FILE)
            + "([0-9]{1,10}-[0-9a-f]{" + HostName.DIRECTORY_DIGITS
            + "}/" + HostName.SOCKET + "|[0-9a-f]{" + HostName.DIRECTORY_DIGITS + "}/" + Pattern.quote(HostName.FILE)
            + "[0-9a-f]{" + HostName.LIBRARY_DIGITS + "}))");

    private static final String DELETED = " (deleted)";
    /** Upper bound on the time between the close of a host's channel and that of its record. */
    private static final int CLOSING_MILLIS = 500;

    private ChannelSocket() {}

    /**
     * Holds the socket that a host's record names. The process itself writes the record, so the caller verifies with
     * the kernel which process listens on the socket.
     *
     * @throws AttachFailed if the process has no descriptor of such a socket
     * @throws IOException if its descriptors cannot be read
     */
    static HeldPath of(LiveProcess process, String channel) throws IOException, AttachFailed {
        Matcher name = CHANNEL.matcher(channel);
        if (!name.matches()) {
            throw new AttachFailed(Status.FAILED, "the host's record names an invalid channel: " + channel);
        }
        for (Map.Entry<Integer, String> descriptor :
                process.facts().descriptors().entrySet()) {
            if (descriptor.getValue().endsWith(name.group(1) + DELETED)) {
                return process.files().holdDescriptor(descriptor.getKey());
            }
        }
        throw closed(process, channel);
    }

    /**
     * Returns the failure of a request whose channel is closed. A host that is being unloaded closes its channel
     * shortly before its record.
     *
     * @throws IOException if the descriptors of the process cannot be read
     */
    static AttachFailed closed(LiveProcess process, String channel) throws IOException {
        if (ProcessEnd.isNear(process.life())) {
            return ProcessEnd.of(process);
        }
        for (int i = 0; i < CLOSING_MILLIS; i++) {
            if (HostRecords.of(process).known().stream()
                    .noneMatch(record -> record.channel().equals(channel))) {
                return new AttachFailed(
                        Status.NO_PROFILER, "no profiler is attached to process " + process.pid() + " any more");
            }
            LockSupport.parkNanos(1_000_000);
        }
        return new AttachFailed(
                Status.FAILED,
                "the profiler's channel is closed: the profiler is being unloaded, or the program has"
                        + " closed a descriptor that it had not opened");
    }
}
