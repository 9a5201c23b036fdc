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
import java.nio.file.attribute.PosixFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;

/**
 * What hosts leave whose process was killed: a directory with a socket. Ours only, that is of the user we are: in anybody
 * else's we could be made to remove what we did not mean.
 */
final class DeadChannels {
    private static final Path DIRECTORY = Path.of("/tmp");
    private static final String PREFIX = ".mayfly-";
    private static final Pattern NAME = Pattern.compile("\\.mayfly-[0-9]{1,10}-[0-9a-f]{16}");
    private static final String SOCKET = "s";
    /** A host listens some microseconds after it has made its socket. */
    private static final Duration SETTLED = Duration.ofMinutes(1);

    private DeadChannels() {
    }

    /** Removes those of a process that has ended. */
    static void removeOf(int pid) {
        remove(DIRECTORY, PREFIX + pid + "-*", Instant.MAX);
    }

    /** Removes those of any process. */
    static void removeAll() {
        remove(DIRECTORY, PREFIX + "*", Instant.now().minus(SETTLED));
    }

    /** As well as it can be done: whatever fails is left to the next time. */
    static void remove(Path folder, String glob, Instant before) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, glob)) {
            for (Path directory : found) {
                if (NAME.matcher(String.valueOf(directory.getFileName())).matches()) {
                    removeDead(directory, before);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return; // not to be listed
        }
    }

    private static void removeDead(Path directory, Instant before) {
        try {
            if (isOurs(directory, before) && !isListenedTo(directory.resolve(SOCKET))) {
                Files.deleteIfExists(directory.resolve(SOCKET));
                Files.deleteIfExists(directory);
            }
        } catch (IOException e) {
            return; // gone meanwhile, or something else is in it
        }
    }

    private static boolean isOurs(Path directory, Instant before) throws IOException {
        PosixFileAttributes it = Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return it.isDirectory() && it.owner().equals(Files.getOwner(Path.of("/proc/self")))
                && it.lastModifiedTime().toInstant().isBefore(before);
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
