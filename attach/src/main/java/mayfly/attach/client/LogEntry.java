package mayfly.attach.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import mayfly.linux.LiveProcess;
import mayfly.linux.proc.Permissions;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.sys.HeldPath;

/**
 * A log entry for the end of a profiler that no command waits for. The host adds it, in the target. It does so only if
 * the target's user is the attaching user and sees the same files;
 * docs/decisions/0024-the-host-logs-the-end-of-a-profiler-if-no-command-does.md.
 *
 * @param file the log, which exists: the host does not create it
 * @param rest the part of the entry after the time, up to the closing brace: JSON in one line, at most 4096 bytes
 */
public record LogEntry(Path file, String rest) {

    /**
     * Encodes the entry for the host. The result is empty if the target belongs to another user, or if the path may
     * denote another file in the target.
     */
    static byte[] of(Optional<LogEntry> entry, LiveProcess target) {
        if (entry.isEmpty() || !isSafe(entry.get().file(), target)) {
            return AttachPayload.NO_LOG;
        }
        return (entry.get().file().toAbsolutePath() + "\0" + entry.get().rest()).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns true if the entry can be written safely. If this is unknown, the attach continues without an entry. */
    private static boolean isSafe(Path file, LiveProcess target) {
        try {
            // A thread that waits for an unresponsive file system prevents its process from ending.
            return !Files.getFileStore(file).type().startsWith("fuse") && seesOurFiles(target);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean seesOurFiles(LiveProcess target) throws IOException {
        ProcStatus status = target.status();
        int user = Permissions.read().euid();
        if (status.uid() != user
                || status.euid() != user
                || !target.facts().sharesNamespace("mnt")
                || !target.facts().sharesNamespace("user")) {
            return false;
        }
        try (HeldPath root = target.files().hold("/")) {
            return Files.isSameFile(root.path(), Path.of("/"));
        }
    }
}
