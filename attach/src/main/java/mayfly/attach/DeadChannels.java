package mayfly.attach;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.linux.Permissions;

/**
 * What hosts leave whose process was killed: a directory with a socket. Ours only, that is of the user we are: in anybody
 * else's we could be made to remove what we did not mean.
 */
final class DeadChannels {
    private static final Path DIRECTORY = Path.of("/tmp");
    private static final Pattern NAME = Pattern.compile("\\.mayfly-([0-9]{1,10})-[0-9a-f]{16}");
    private static final String SOCKET = "s";
    /** A host listens some microseconds after it has made its socket. */
    private static final Duration SETTLED = Duration.ofMinutes(1);
    /** Files of the folder that are looked at: anybody can make any number of them, and whoever attaches waits. */
    private static final int MOST = 10_000;

    private DeadChannels() {
    }

    /** Removes those of a process that has ended. */
    static void removeOf(int pid) {
        remove(DIRECTORY, OptionalInt.of(pid), Instant.MAX);
    }

    /** Removes those of processes that are not there any more, as we see processes. */
    static void removeAll() {
        remove(DIRECTORY, OptionalInt.empty(), Instant.now().minus(SETTLED));
    }

    /**
     * As well as it can be done: whatever fails is left to the next time.
     *
     * @param ended the process whose they are, known to have ended; otherwise of all that are not there
     */
    static void remove(Path folder, OptionalInt ended, Instant before) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            int user = Permissions.read().euid();
            int count = 0;
            for (Path file : files) {
                Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
                if (name.matches() && hasEnded(name.group(1), ended)) {
                    removeDead(file, user, before);
                }
                if (++count == MOST) {
                    return;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return; // not to be listed
        }
    }

    private static boolean hasEnded(String pid, OptionalInt known) {
        return known.isPresent() ? pid.equals(Integer.toString(known.getAsInt())) : !Files.exists(Path.of("/proc", pid));
    }

    private static void removeDead(Path directory, int user, Instant before) {
        try {
            if (isOurs(directory, user, before) && !isListenedTo(directory.resolve(SOCKET))) {
                Files.deleteIfExists(directory.resolve(SOCKET));
                Files.deleteIfExists(directory);
            }
        } catch (IOException e) {
            return; // gone meanwhile, or something else is in it
        }
    }

    private static boolean isOurs(Path directory, int user, Instant before) throws IOException {
        Map<String, Object> it = Files.readAttributes(directory, "unix:uid,isDirectory,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
        return Boolean.TRUE.equals(it.get("isDirectory")) && Integer.valueOf(user).equals(it.get("uid"))
                && it.get("lastModifiedTime") instanceof FileTime modified && modified.toInstant().isBefore(before);
    }

    /** Also if that cannot be told. */
    private static boolean isListenedTo(Path socket) throws IOException {
        if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return true;
        } catch (ConnectException e) {
            return false;
        }
    }
}
