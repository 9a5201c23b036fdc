package mayfly.cli.file;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import mayfly.api.Status;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.LogEntry;
import mayfly.attach.launch.OwnFolder;
import mayfly.cli.output.Terminal;
import mayfly.report.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * The log of operations on processes, in {@code $XDG_STATE_HOME/mayfly/events.jsonl}, or below
 * {@code ~/.local/state}. Each request to attach, each attach, launch, detach and end of a profiler, and each failure
 * is one line of JSON.
 */
public final class EventLog {
    /** Size in bytes at which the log is renamed to {@code events.jsonl.1}, which replaces the previous one. */
    private static final long MAX_LENGTH = 1 << 20;

    private static final int LOCK_MILLIS = 500;
    /** Upper bound on the text that a host adds to an entry, in chars of at most three bytes each. */
    private static final int MAX_REST = 1300;

    private static final Set<PosixFilePermission> FOR_OWNER = PosixFilePermissions.fromString("rw-------");
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(FOR_OWNER);

    private final @Nullable Path file;
    /** The reason why there is no file. */
    private final String problem;
    /** True if it has been reported that nothing is logged. */
    private boolean reported;

    private EventLog(@Nullable Path file, String problem) {
        this.file = file;
        this.problem = problem;
    }

    /** Returns the log of the user with the given environment. */
    public static EventLog of(Map<String, String> environment) {
        return of(environment, System.getProperty("user.home", ""));
    }

    /** @param userHome the user's folder as the JVM found it; not a path if the user has none */
    static EventLog of(Map<String, String> environment, String userHome) {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        String home = environment.getOrDefault("HOME", userHome);
        if (!state.startsWith("/") && !home.startsWith("/")) {
            return new EventLog(null, "this user has no home folder, and XDG_STATE_HOME is not an absolute path");
        }
        try {
            Path folder = state.startsWith("/") ? Path.of(state) : Path.of(home, ".local", "state");
            return new EventLog(folder.resolve("mayfly").resolve("events.jsonl"), "");
        } catch (InvalidPathException e) {
            return new EventLog(null, "this locale cannot encode the path of the log");
        }
    }

    /** Adds an entry. If the log cannot be written, this is reported on stderr, without effect on the operation. */
    public void add(Terminal terminal, String what, int pid, Status status, String message) {
        add(terminal, what, pid, status, message, "");
    }

    /**
     * Adds the entry for the attach of a profiler that is present, unless the log has that entry already: the
     * attaching command may have been killed, or have timed out before the attach succeeded.
     */
    public void addAttach(Terminal terminal, int pid, HostStatus attached, String message) {
        if (!hasHost(attached.request())) {
            add(terminal, "attach", pid, Status.OK, message, attached.request());
        }
    }

    private boolean hasHost(String request) {
        String wanted = "\"host\":\"" + request + "\"";
        for (Path each :
                file == null ? List.<Path>of() : List.of(file, file.resolveSibling(file.getFileName() + ".1"))) {
            if (!Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS)) {
                continue;
            }
            try (InputStream in = Files.newInputStream(each, LinkOption.NOFOLLOW_LINKS)) {
                if (new String(in.readNBytes((int) MAX_LENGTH), StandardCharsets.UTF_8).contains(wanted)) {
                    return true;
                }
            } catch (IOException e) {
                // If the log cannot be read, the entry is added.
            }
        }
        return false;
    }

    /**
     * Adds an entry.
     *
     * @param host the id of the request that attached the profiler, or empty
     */
    private void add(Terminal terminal, String what, int pid, Status status, String message, String host) {
        if (file == null) {
            report(terminal, "nothing is logged: " + problem);
            return;
        }
        Json entry = entry(
                new Json().beginObject().name("time").value(Instant.now().toString()), what, pid, status, message);
        if (!host.isEmpty()) {
            entry.name("host").value(host);
        }
        String line = entry.endObject() + "\n";
        try {
            makeFolder(file);
            write(file, line.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            report(terminal, "the log " + file + " cannot be written: " + OutputFile.reason(e));
        }
    }

    private void report(Terminal terminal, String sentence) {
        if (!reported) {
            terminal.err().println("mayfly: " + sentence);
            reported = true;
        }
    }

    /**
     * Returns the log entry that the host adds when the profiler ends and no command waits for it. Creates the file,
     * because the host does not create it.
     *
     * @return empty if the log cannot be created, which {@link #add} reports, or if the entry would be too long
     */
    public Optional<LogEntry> entryOfHost(int pid, String message) {
        if (file == null) {
            return Optional.empty();
        }
        try {
            makeFolder(file);
            open(file).close();
        } catch (IOException e) {
            return Optional.empty();
        }
        String rest = entry(new Json().beginObject(), "gone", pid, Status.OK, message)
                .endObject()
                .toString()
                .substring(1);
        return rest.length() > MAX_REST ? Optional.empty() : Optional.of(new LogEntry(file, rest));
    }

    private static Json entry(Json begun, String what, int pid, Status status, String message) {
        return begun.name("level")
                .value(level(status))
                .name("what")
                .value(what)
                .name("pid")
                .value(pid)
                .name("status")
                .value(status.name())
                .name("message")
                .value(message);
    }

    private static void makeFolder(Path file) throws IOException {
        Path folder = file.getParent();
        if (folder != null) {
            OwnFolder.make(folder, "set XDG_STATE_HOME to your own folder");
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS),
                OWNER_ONLY);
    }

    /**
     * Writes an entry as a whole and under a lock, because several commands may end at once. If the lock is not free
     * after {@link #LOCK_MILLIS}, for example because its holder is stopped, writes the entry without the lock.
     */
    private static void write(Path file, byte[] line) throws IOException {
        Path lock = file.resolveSibling(file.getFileName() + ".lock");
        synchronized (EventLog.class) {
            try (FileChannel locked = FileChannel.open(
                            lock,
                            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                            OWNER_ONLY);
                    FileLock held = tryLock(locked)) {
                if (held != null && Files.exists(file) && Files.size(file) + line.length > MAX_LENGTH) {
                    Files.move(
                            file, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
                }
                try (FileChannel log = open(file)) {
                    closeToOthers(file);
                    log.write(ByteBuffer.wrap(line));
                }
                closeToOthers(file.resolveSibling(file.getFileName() + ".1"));
            }
        }
    }

    /**
     * Removes permissions of other users, which earlier versions granted. Uses a descriptor, so a symbolic link is not
     * followed.
     */
    private static void closeToOthers(Path file) {
        PosixFileAttributeView view =
                Files.getFileAttributeView(file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        try {
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    && !view.readAttributes().permissions().equals(FOR_OWNER)) {
                view.setPermissions(FOR_OWNER);
            }
        } catch (IOException e) {
            // The file belongs to another user, or its file system has no permissions. The entry is written
            // nevertheless.
        }
    }

    private static @Nullable FileLock tryLock(FileChannel file) throws IOException {
        for (int i = 0; i < LOCK_MILLIS; i++) {
            FileLock lock = file.tryLock();
            if (lock != null) {
                return lock;
            }
            LockSupport.parkNanos(1_000_000);
        }
        return null;
    }

    /** Returns the level of an entry. A refusal by the profiler is not an error. */
    private static String level(Status status) {
        return status == Status.OK || status == Status.PROFILER_CANCEL_ACTIVATION ? "information" : "error";
    }
}
