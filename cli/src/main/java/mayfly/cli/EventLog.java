package mayfly.cli;

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
import mayfly.report.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * What was done to processes: one line of JSON for each attach, refused attach, detach and failure, in
 * {@code $XDG_STATE_HOME/mayfly/events.jsonl}, or below {@code ~/.local/state}.
 */
final class EventLog {
    /** Then it becomes {@code events.jsonl.1}, in place of the one before. */
    private static final long LONGEST = 1 << 20;

    private static final int LOCK_MILLIS = 500;
    /** Of an entry that a host adds, chars; each has at most three bytes. */
    private static final int MOST_REST = 1300;
    private static final Set<PosixFilePermission> FOR_OWNER = PosixFilePermissions.fromString("rw-------");
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY = PosixFilePermissions.asFileAttribute(FOR_OWNER);

    private final @Nullable Path file;

    private EventLog(@Nullable Path file) {
        this.file = file;
    }

    /** That of the user whose environment this is. */
    static EventLog of(Map<String, String> environment) {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        String home = environment.getOrDefault("HOME", System.getProperty("user.home", "/"));
        try {
            Path folder = state.startsWith("/") ? Path.of(state) : Path.of(home, ".local", "state");
            return new EventLog(folder.resolve("mayfly").resolve("events.jsonl"));
        } catch (InvalidPathException e) {
            return new EventLog(null); // the locale has no such letters
        }
    }

    /** Adds an entry. A log that cannot be written is told on stderr; what was done stays done. */
    void add(Terminal terminal, String what, int pid, Status status, String message) {
        add(terminal, what, pid, status, message, "");
    }

    /**
     * Adds an entry for the attach of a profiler that is there, unless there is one: its trigger may have been killed, or have given up
     * before the attach succeeded.
     */
    void addAttach(Terminal terminal, int pid, HostStatus attached, String message) {
        if (!hasHost(attached.request())) {
            add(terminal, "attach", pid, Status.OK, message, attached.request());
        }
    }

    private boolean hasHost(String request) {
        String wanted = "\"host\":\"" + request + "\"";
        for (Path each : file == null ? List.<Path>of() : List.of(file, file.resolveSibling(file.getFileName() + ".1"))) {
            if (!Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS)) {
                continue;
            }
            try (InputStream in = Files.newInputStream(each, LinkOption.NOFOLLOW_LINKS)) {
                if (new String(in.readNBytes((int) LONGEST), StandardCharsets.UTF_8).contains(wanted)) {
                    return true;
                }
            } catch (IOException e) {
                // Without a log to look into the entry is added.
            }
        }
        return false;
    }

    /** @param host the id of the request by which a profiler was attached, or empty */
    private void add(Terminal terminal, String what, int pid, Status status, String message, String host) {
        if (file == null) {
            terminal.err().println("mayfly: nothing is logged: the path of your home cannot be written in this locale");
            return;
        }
        Json entry = entry(new Json().beginObject().name("time").value(Instant.now().toString()), what, pid, status, message);
        if (!host.isEmpty()) {
            entry.name("host").value(host);
        }
        String line = entry.endObject() + "\n";
        try {
            makeFolder(file);
            write(file, line.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            terminal.err().println("mayfly: the log " + file + " cannot be written: " + OutputFile.reason(e));
        }
    }

    /**
     * The entry for the end of a profiler that no command waits for, which its host adds to this log. Makes the file, as the host creates
     * none.
     *
     * @return empty if the log cannot be made; the entry of the attach says why
     */
    Optional<LogEntry> entryOfHost(int pid, String message) {
        if (file == null) {
            return Optional.empty();
        }
        try {
            makeFolder(file);
            open(file).close();
        } catch (IOException e) {
            return Optional.empty();
        }
        String rest = entry(new Json().beginObject(), "gone", pid, Status.OK, message).endObject().toString().substring(1);
        return rest.length() > MOST_REST ? Optional.empty() : Optional.of(new LogEntry(file, rest));
    }

    private static Json entry(Json begun, String what, int pid, Status status, String message) {
        return begun.name("level").value(level(status)).name("what").value(what).name("pid").value(pid)
                .name("status").value(status.name()).name("message").value(message);
    }

    private static void makeFolder(Path file) throws IOException {
        Path folder = file.getParent();
        if (folder != null) {
            OwnFolder.make(folder);
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS), OWNER_ONLY);
    }

    /** One at a time, and whole: several commands may end at once. One that was stopped in the middle is not waited for. */
    private static void write(Path file, byte[] line) throws IOException {
        Path lock = file.resolveSibling(file.getFileName() + ".lock");
        synchronized (EventLog.class) {
            try (FileChannel locked = FileChannel.open(lock,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS), OWNER_ONLY);
                    FileLock held = tryLock(locked)) {
                if (held != null && Files.exists(file) && Files.size(file) + line.length > LONGEST) {
                    Files.move(file, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
                }
                try (FileChannel log = open(file)) {
                    closeToOthers(file);
                    log.write(ByteBuffer.wrap(line));
                }
                closeToOthers(file.resolveSibling(file.getFileName() + ".1"));
            }
        }
    }

    /** Earlier versions made the log readable by everybody. Through a descriptor: a link there is not followed. */
    private static void closeToOthers(Path file) {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        try {
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && !view.readAttributes().permissions().equals(FOR_OWNER)) {
                view.setPermissions(FOR_OWNER);
            }
        } catch (IOException e) {
            // The file is another user's, or its file system has no permissions. The entry is written nevertheless.
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

    /** A profiler that declines is no error. */
    private static String level(Status status) {
        return status == Status.OK || status == Status.PROFILER_CANCEL_ACTIVATION ? "information" : "error";
    }
}
