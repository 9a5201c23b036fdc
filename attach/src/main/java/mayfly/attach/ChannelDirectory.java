package mayfly.attach;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.regex.Pattern;
import mayfly.linux.HeldPath;
import mayfly.linux.LiveProcess;
import mayfly.linux.UnixPeer;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a host's channel. The host holds a descriptor of it, through which it is reached also when the target has
 * changed its root directory, and through which a trigger removes it when the target has lost the right to.
 */
final class ChannelDirectory {
    private static final String SOCKET = "s";
    private static final Pattern NAME = Pattern.compile("/tmp/(\\.mayfly-[0-9]{1,10}-[0-9a-f]{16})/" + SOCKET);

    private ChannelDirectory() {
    }

    /** The socket that a host's record names. */
    static HeldPath socket(LiveProcess process, String channel) throws IOException {
        try (HeldPath directory = directory(process, channel)) {
            return directory.child(SOCKET);
        } catch (NoSuchFileException e) {
            // A host of an earlier version holds no descriptor of it.
            return process.holdItself(channel);
        }
    }

    private static HeldPath directory(LiveProcess process, String channel) throws IOException {
        for (Map.Entry<Integer, String> descriptor : process.descriptors().entrySet()) {
            if (descriptor.getValue().endsWith("/" + nameOf(channel))) {
                return process.holdDescriptor(descriptor.getKey());
            }
        }
        throw new NoSuchFileException(channel);
    }

    private static String nameOf(String channel) throws NoSuchFileException {
        var name = NAME.matcher(channel);
        if (!name.matches()) {
            throw new NoSuchFileException(channel);
        }
        return name.group(1);
    }

    /** Holds the directory while a host detaches; nothing, if the host has no descriptor of it. */
    static final class Leftover implements AutoCloseable {
        private final @Nullable HeldPath directory;
        private final String own;

        private Leftover(@Nullable HeldPath directory, String own) {
            this.directory = directory;
            this.own = own;
        }

        /** Only of a directory in which the process listens: it can name any, and hold a descriptor of it. */
        static Leftover of(LiveProcess process, HostRecord record) throws IOException {
            HeldPath directory;
            try {
                directory = directory(process, record.channel());
            } catch (NoSuchFileException e) {
                return new Leftover(null, "");
            }
            if (isListenedToBy(process, directory)) {
                return new Leftover(directory, nameOf(record.channel()));
            }
            directory.close();
            return new Leftover(null, "");
        }

        private static boolean isListenedToBy(LiveProcess process, HeldPath directory) {
            try (HeldPath socket = directory.child(SOCKET)) {
                return socket.isSocket()
                        && UnixPeer.of(socket.path()).filter(peer -> peer.pid() == process.pid()).isPresent();
            } catch (IOException e) {
                return false;
            }
        }

        /** Removes it, if the host was not permitted to. */
        void remove() {
            try {
                if (directory != null) {
                    directory.removeWithSocket(own, SOCKET);
                }
            } catch (IOException e) {
                return; // the host has removed it, or this user may not
            }
        }

        @Override
        public void close() {
            if (directory != null) {
                directory.close();
            }
        }
    }
}
