package mayfly.attach.listener;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import mayfly.discovery.LibraryDirectory;
import mayfly.linux.PlacedFile;
import mayfly.linux.sys.RandomBytes;
import mayfly.wire.HostName;

/**
 * The host's library while a target loads it: a file of the target's user in a directory that only that user may enter.
 *
 * <p>A request to load it cannot be revoked, and a busy JVM may execute it after every process of Mayfly has ended. The
 * path therefore contains no process id or descriptor number, which the kernel could assign to another process. No
 * other user can read the file's name, which has 128 random bits. The file remains until the JVM has loaded it or has
 * ended. See decision 21.
 */
public final class HostLibraryFile implements LibraryFile {
    /** The memfd from which a JVM that starts with a profiler loads the library; it exists only in that process. */
    private static final String IN_MEMORY = "/memfd:" + HostName.LIBRARY_MEMFD;

    private static final Pattern IN_FILE = Pattern.compile("/[a-z/0-9]+/" + Pattern.quote(HostName.FILE) + "[0-9a-f]{"
            + HostName.DIRECTORY_DIGITS + "}/" + Pattern.quote(HostName.FILE) + "[0-9a-f]{" + HostName.LIBRARY_DIGITS
            + "}" + Pattern.quote(HostName.LIBRARY_SUFFIX) + "( \\(deleted\\))?");
    private static final int DIRECTORY_BYTES = 4;
    private static final int NAME_BYTES = HostName.LIBRARY_DIGITS / 2;
    private static final int OWNER_READS = 0500;

    private final String path;
    private final PlacedFile file;
    private final Cleanup cleanup;
    /** False from the request to load the file until the JVM has answered. */
    private boolean answered = true;

    private HostLibraryFile(String path, PlacedFile file, Cleanup cleanup) {
        this.path = path;
        this.file = file;
        this.cleanup = cleanup;
    }

    /**
     * Creates the file, in the first directory of the target that has space and permits loading a library.
     *
     * @throws AttachFailed if there is none, if this machine has no shell for the cleanup, or if the deadline expires
     * @throws IOException if the process has ended, or its status or mounts cannot be read
     */
    public static HostLibraryFile of(byte[] library, AskedJvm jvm, Deadline deadline) throws IOException, AttachFailed {
        int user = jvm.status().euid();
        List<String> mounts = jvm.mounts();
        List<String> problems = new ArrayList<>();
        // Servers often forbid execution of files in world-writable directories.
        for (String directory : List.of("/tmp", "/var/tmp", "/dev/shm", "/run/user/" + user, "/var/lib")) {
            if (!Mounts.mayLoadFrom(Path.of(directory), mounts)) {
                problems.add(directory + ": noexec");
                continue;
            }
            try {
                return in(directory, library, jvm, user, deadline);
            } catch (IOException e) {
                problems.add(directory + ": " + e.getMessage());
            }
        }
        throw new AttachFailed(
                Status.ATTACH_REFUSED,
                "the host's library cannot be put into a directory of the target: " + String.join("; ", problems));
    }

    private static HostLibraryFile in(String directory, byte[] library, AskedJvm jvm, int user, Deadline deadline)
            throws IOException, AttachFailed {
        String own = LibraryDirectory.prefix(jvm.innermostPid()) + RandomBytes.hex(DIRECTORY_BYTES);
        String name = HostName.FILE + RandomBytes.hex(NAME_BYTES) + HostName.LIBRARY_SUFFIX;
        Cleanup cleanup = jvm.cleanup(directory, deadline);
        try {
            cleanup.made(own + "/" + name);
            PlacedFile file = jvm.placeApart(directory, own, name, library, OWNER_READS, user);
            return new HostLibraryFile(directory + "/" + own + "/" + name, file, cleanup);
        } catch (IOException e) {
            cleanup.gone();
            cleanup.close();
            throw e;
        }
    }

    /** Returns true if a path, as the target sees it, is that of a mapped host library. */
    public static boolean isMappedAs(String path) {
        return path.startsWith(IN_MEMORY) || IN_FILE.matcher(path).matches();
    }

    /**
     * Returns the name of the host's socket. The host removes the name at once; if the JVM is killed before that, the
     * socket remains.
     */
    private String socketName() {
        return path.substring(path.lastIndexOf('/') + 1, path.length() - HostName.LIBRARY_SUFFIX.length());
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public void loading() throws IOException {
        answered = false;
        cleanup.loading();
    }

    @Override
    public void loaded() {
        answered = true;
    }

    @Override
    public void close() throws IOException {
        if (answered) {
            file.removeBeside(socketName());
            file.close();
            cleanup.gone();
        } else {
            file.leave();
        }
        cleanup.close();
    }
}
