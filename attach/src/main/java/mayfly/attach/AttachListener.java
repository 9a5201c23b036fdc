package mayfly.attach;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.api.Status;
import mayfly.linux.HeldPath;
import mayfly.linux.LiveProcess;
import mayfly.linux.PlacedFile;
import mayfly.linux.Uptime;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's own door: a socket that it opens when a file is there and SIGQUIT comes. See attachListener_posix.cpp in HotSpot.
 * Without the file the signal would make it print a thread dump; a process that has no handler for it would die.
 */
final class AttachListener {
    private static final int SIGQUIT = 3;
    private static final int OWNER_ONLY = 0600;
    private static final int POLL_MILLIS = 2;
    /** How long another trigger's marker is taken for a sign that it is at work. */
    private static final long OTHERS_NANOS = 1_000_000_000L;
    private static final String WAITING = "the attach listener did not answer: the JVM is busy, or suspended";
    /** What the JVM answers is a few words. */
    private static final int MOST_ANSWER = 64 << 10;
    private static final Pattern RETURN_CODE = Pattern.compile("return code: (-?[0-9]{1,9})");

    private final LiveProcess process;
    private final int innerPid;

    private AttachListener(LiveProcess process, int innerPid) {
        this.process = process;
        this.innerPid = innerPid;
    }

    static AttachListener of(LiveProcess process) throws IOException {
        return new AttachListener(process, process.innermostPid());
    }

    private String socket() {
        return "/tmp/.java_pid" + innerPid;
    }

    boolean isListening() throws IOException {
        try (HeldPath path = process.hold(socket())) {
            return path.isSocket() && path.owner() == process.status().euid();
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Starts it and waits until it listens. A JVM whose listener runs already takes the signal for a wish for a thread dump, so
     * of two triggers only the one that made the marker sends it, and only if nobody listens once the marker is there.
     */
    void start(Deadline deadline) throws IOException, AttachFailed {
        String directory = "/tmp";
        for (long others = Uptime.nanos() + OTHERS_NANOS; !isListening(); ) {
            try (Marker marker = Marker.make(process, directory, innerPid)) {
                if (marker.isOurs() || marker.isUsable() && Uptime.nanos() > others) {
                    startBy(deadline);
                    return;
                }
                directory = marker.isUsable() ? directory : process.workingDirectory();
            }
            deadline.pause(POLL_MILLIS, WAITING);
        }
    }

    private void startBy(Deadline deadline) throws IOException, AttachFailed {
        if (!isListening()) {
            process.signal(SIGQUIT);
        }
        while (!isListening()) {
            if (!process.isAlive()) {
                throw new AttachFailed(Status.FAILED, "the target has ended");
            }
            deadline.pause(POLL_MILLIS, WAITING);
        }
    }

    /** The file that makes the JVM understand the signal; ours, or one that was there. */
    private record Marker(@Nullable PlacedFile file, boolean isUsable) implements AutoCloseable {

        static Marker make(LiveProcess process, String directory, int innerPid) throws IOException {
            String name = ".attach_pid" + innerPid;
            int user = process.status().euid();
            try {
                return new Marker(process.place(directory, name, new byte[0], OWNER_ONLY, user), true);
            } catch (FileAlreadyExistsException e) {
                try (HeldPath there = process.hold(directory + "/" + name)) {
                    return new Marker(null, there.owner() == user);
                } catch (NoSuchFileException gone) {
                    return new Marker(null, true);
                }
            }
        }

        boolean isOurs() {
            return file != null;
        }

        @Override
        public void close() {
            if (file != null) {
                file.close();
            }
        }
    }

    /** Has it load a library and call Agent_OnAttach; what that returned. */
    int load(String library, String options, Deadline deadline) throws IOException, AttachFailed {
        String answer = ask(deadline, "1", "load", library, "true", options);
        Matcher code = RETURN_CODE.matcher(answer);
        if (code.find()) {
            return Integer.parseInt(code.group(1));
        }
        String words = answer.strip().replace('\n', ' ');
        throw new AttachFailed(Status.ATTACH_REFUSED, "the JVM did not load the host: "
                + (words.isEmpty() ? "it closed the connection" : words));
    }

    private String ask(Deadline deadline, String... words) throws IOException, AttachFailed {
        String waiting = "the JVM took the request and did not answer in time";
        try (HeldPath path = process.hold(socket()); SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                Selector selector = Selector.open()) {
            channel.connect(UnixDomainSocketAddress.of(path.path()));
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            channel.write(ByteBuffer.wrap((String.join("\0", words) + "\0").getBytes(StandardCharsets.UTF_8)));
            ByteBuffer answer = ByteBuffer.allocate(MOST_ANSWER);
            while (answer.hasRemaining()) {
                int count = channel.read(answer);
                if (count < 0) {
                    break;
                }
                if (count == 0) {
                    key.interestOps(SelectionKey.OP_READ);
                    selector.select(deadline.millisLeft(waiting));
                    selector.selectedKeys().clear();
                }
            }
            return new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8);
        }
    }
}
