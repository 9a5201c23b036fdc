package mayfly.attach.channel;

import java.io.IOException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.api.Status;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.HeldPath;

/**
 * The socket of a host's channel. Its name has been removed. The host holds a descriptor of it (O_PATH), through which
 * a client connects by proc(5), independent of the target's current user and root directory.
 */
final class ChannelSocket {
    /** A directory of the host, or that of its library. */
    private static final Pattern CHANNEL = Pattern.compile(
            "/[a-z/0-9]{1,40}(/\\.mayfly-([0-9]{1,10}-[0-9a-f]{16}/s|[0-9a-f]{16}/\\.mayfly-[0-9a-f]{32}))");
    private static final String DELETED = " (deleted)";

    private ChannelSocket() {
    }

    /**
     * Holds the socket that a host's record names. The record is the process's own claim: a client asks the kernel
     * which process listens.
     *
     * @throws AttachFailed if the process has no descriptor of such a socket
     * @throws IOException if its descriptors cannot be read
     */
    static HeldPath of(LiveProcess process, String channel) throws IOException, AttachFailed {
        Matcher name = CHANNEL.matcher(channel);
        if (!name.matches()) {
            throw new AttachFailed(Status.FAILED, "the host's record names an odd channel: " + channel);
        }
        for (Map.Entry<Integer, String> descriptor : process.descriptors().entrySet()) {
            if (descriptor.getValue().endsWith(name.group(1) + DELETED)) {
                return process.holdDescriptor(descriptor.getKey());
            }
        }
        if (ProcessEnd.isNear(process)) {
            throw ProcessEnd.of(process);
        }
        if (HostRecord.of(process).isEmpty()) {
            throw new AttachFailed(Status.NO_PROFILER, "no profiler is attached to process " + process.pid() + " any more");
        }
        throw new AttachFailed(Status.FAILED, "the profiler's channel is closed: it is just being unloaded, or the program has"
                + " closed a descriptor that it had not opened");
    }
}
