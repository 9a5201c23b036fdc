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
import mayfly.linux.LiveProcess;
import mayfly.linux.PlacedFile;
import mayfly.linux.sys.RandomBytes;

/**
 * The host's library while a target loads it: a file of the target's user in a directory that only that user may enter.
 *
 * <p>A request to load it cannot be recalled, and a JVM that is busy may take it after every process of Mayfly has
 * ended. So nothing in the path is found by a process id or a descriptor number, which the kernel would give to another
 * process. No other user can read the file's name, of 128 random bits, and the file stays until the JVM has loaded it or
 * has ended. See decision 21.
 */
public final class HostLibraryFile implements AutoCloseable {
    /** The memory that a JVM which starts with a profiler has loaded it from; only that process refers to it. */
    private static final String IN_MEMORY = "/memfd:mayfly-library";
    private static final Pattern IN_FILE = Pattern.compile(
            "/[a-z/0-9]+/\\.mayfly-[0-9a-f]{16}/\\.mayfly-[0-9a-f]{32}\\.so( \\(deleted\\))?");
    private static final String EXTENSION = ".so";
    private static final int DIRECTORY_BYTES = 4;
    private static final int NAME_BYTES = 16;
    private static final int OWNER_READS = 0500;

    private final String path;
    private final PlacedFile file;
    private final CleanupProcess cleanup;
    /** Whether the JVM has nothing more to do with it: also before it is asked. */
    private boolean answered = true;

    private HostLibraryFile(String path, PlacedFile file, CleanupProcess cleanup) {
        this.path = path;
        this.file = file;
        this.cleanup = cleanup;
    }

    /**
     * Makes it, in the first directory of the target that has room for it and from which a library may be loaded.
     *
     * @throws AttachFailed if there is none
     */
    public static HostLibraryFile of(byte[] library, LiveProcess process, Deadline deadline) throws IOException, AttachFailed {
        int user = process.status().euid();
        List<String> mounts = process.mounts();
        List<String> problems = new ArrayList<>();
        // A server often forbids to execute files in the directories that every user may write to.
        for (String directory : List.of("/tmp", "/var/tmp", "/dev/shm", "/run/user/" + user, "/var/lib")) {
            if (!Mounts.mayLoadFrom(Path.of(directory), mounts)) {
                problems.add(directory + ": noexec");
                continue;
            }
            try {
                return in(directory, library, process, user, deadline);
            } catch (IOException e) {
                problems.add(directory + ": " + e.getMessage());
            }
        }
        throw new AttachFailed(Status.ATTACH_REFUSED, "the host's library cannot be put into a directory of the target: "
                + String.join("; ", problems));
    }

    private static HostLibraryFile in(String directory, byte[] library, LiveProcess process, int user, Deadline deadline)
            throws IOException, AttachFailed {
        String own = LibraryDirectory.prefix(process.innermostPid()) + RandomBytes.hex(DIRECTORY_BYTES);
        String name = ".mayfly-" + RandomBytes.hex(NAME_BYTES) + EXTENSION;
        CleanupProcess cleanup = CleanupProcess.in(directory, process, deadline);
        try {
            cleanup.made(own + "/" + name);
            PlacedFile file = process.placeApart(directory, own, name, library, OWNER_READS, user);
            return new HostLibraryFile(directory + "/" + own + "/" + name, file, cleanup);
        } catch (IOException e) {
            cleanup.gone();
            cleanup.close();
            throw e;
        }
    }

    /** Whether a path, as the target sees it, is that of a host's library that it has mapped. */
    public static boolean isMappedAs(String path) {
        return path.startsWith(IN_MEMORY) || IN_FILE.matcher(path).matches();
    }

    /** The host's socket has this name for a moment; a JVM that is killed in it leaves the socket. */
    private String socketName() {
        return path.substring(path.lastIndexOf('/') + 1, path.length() - EXTENSION.length());
    }

    /** Under which the target opens it. */
    public String path() {
        return path;
    }

    /** The JVM is being asked to load it: from now on it must stay until the JVM has, however this process ends. */
    public void loading() throws IOException {
        answered = false;
        cleanup.loading();
    }

    /** The JVM has answered. */
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
