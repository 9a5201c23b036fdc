package mayfly.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import mayfly.api.Status;
import mayfly.attach.client.LogEntry;
import mayfly.cli.Captured;
import mayfly.cli.Child;
import mayfly.cli.SampleStatus;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log of operations on processes. */
class EventLogTest {
    @TempDir
    private Path state;

    private final Captured captured = new Captured();

    @Test
    void entryIsOneLine() throws Exception {
        captured.with("XDG_STATE_HOME", state.toString());
        EventLog.of(captured.terminal().environment())
                .add(captured.terminal(), "attach", 7, Status.TIMEOUT, "a\n\"b\"");
        assertThat(Files.readAllLines(state.resolve("mayfly/events.jsonl")))
                .singleElement()
                .asString()
                .contains(
                        "\"level\":\"error\",\"what\":\"attach\",\"pid\":7,\"status\":\"TIMEOUT\"",
                        "a\\u000a\\\"b\\\"");
    }

    @Test
    void largeLogIsRotatedWithoutLossByConcurrentWriters() throws Exception {
        captured.with("HOME", state.toString());
        Path log = state.resolve(".local/state/mayfly/events.jsonl");
        List<Thread> writers = List.of(writer(), writer());
        for (Thread each : writers) {
            each.join();
        }
        assertThat(Files.size(log)).isLessThanOrEqualTo(1 << 20);
        assertThat(Files.size(log.resolveSibling("events.jsonl.1"))).isPositive();
        assertThat(captured.err()).isEmpty();
        List<String> lines = new ArrayList<>(Files.readAllLines(log.resolveSibling("events.jsonl.1")));
        lines.addAll(Files.readAllLines(log));
        assertThat(lines).hasSize(80).allMatch(line -> line.startsWith("{\"time\":") && line.endsWith("}"));
    }

    private Thread writer() {
        return Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 40; i++) {
                EventLog.of(captured.terminal().environment())
                        .add(captured.terminal(), "attach", i, Status.OK, "x".repeat(20_000));
            }
        });
    }

    @Test
    @Tag("jvm")
    void heldLockDoesNotBlockWriters() throws Exception {
        captured.with("XDG_STATE_HOME", state.toString());
        Path log = Files.createDirectory(state.resolve("mayfly")).resolve("events.jsonl");
        try (var stopped = Child.jvm(log + ".lock")) {
            EventLog.of(captured.terminal().environment()).add(captured.terminal(), "attach", 7, Status.OK, "");
            assertThat(stopped.process().isAlive()).isTrue();
        }
        assertThat(Files.readAllLines(log)).hasSize(1);
        assertThat(captured.err()).isEmpty();
    }

    @Test
    void unloggedAttachIsAddedOnce() throws Exception {
        captured.with("XDG_STATE_HOME", state.toString());
        EventLog log = EventLog.of(captured.terminal().environment());
        for (String request : List.of("aa11", "aa11", "bb22", "aa11")) {
            SampleStatus status = new SampleStatus();
            status.request = request;
            log.addAttach(captured.terminal(), 7, status.make(), "a.Profiler");
        }
        assertThat(Files.readAllLines(state.resolve("mayfly/events.jsonl")))
                .hasSize(2)
                .allMatch(line -> line.contains("\"what\":\"attach\",\"pid\":7,\"status\":\"OK\""))
                .anyMatch(line -> line.contains("\"host\":\"bb22\""));
    }

    /** After the time, which the host adds, the entry is the same as that of a command. */
    @Test
    void hostEntryHasTheFormOfACommandEntryInAnExistingLog() throws Exception {
        captured.with("XDG_STATE_HOME", state.toString());
        Path file = state.resolve("mayfly/events.jsonl");
        LogEntry entry = EventLog.of(captured.terminal().environment())
                .entryOfHost(7, "a\n\"b\"")
                .orElseThrow();
        assertThat(entry.file()).isEqualTo(file).isEmptyFile();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        EventLog.of(captured.terminal().environment()).add(captured.terminal(), "gone", 7, Status.OK, "a\n\"b\"");
        assertThat(Files.readAllLines(file))
                .singleElement()
                .asString()
                .startsWith("{\"time\":\"")
                .endsWith("Z\"," + entry.rest());
    }

    @Test
    void logThatCannotBeCreatedIsNotPassedToTheHost() throws Exception {
        Files.writeString(state.resolve("mayfly"), "in the way");
        captured.with("XDG_STATE_HOME", state.toString());
        assertThat(EventLog.of(captured.terminal().environment()).entryOfHost(7, ""))
                .isEmpty();
    }

    @Test
    void unwritableLogIsReportedOnStderr() throws Exception {
        Files.writeString(state.resolve("mayfly"), "in the way");
        captured.with("XDG_STATE_HOME", state.toString());
        EventLog.of(captured.terminal().environment()).add(captured.terminal(), "attach", 7, Status.OK, "");
        assertThat(captured.err()).contains("cannot be written");
    }

    /** The JVM reports "?" as the home of a user who has none. */
    @Test
    void withoutAHomeNothingIsLoggedAndTheReasonIsPrinted() {
        EventLog log = EventLog.of(captured.terminal().environment(), "?");
        log.add(captured.terminal(), "attach", 7, Status.OK, "");
        assertThat(captured.err())
                .isEqualTo("mayfly: nothing is logged: this user has no home folder, and"
                        + " XDG_STATE_HOME is not an absolute path\n");
        assertThat(log.entryOfHost(7, "")).isEmpty();
        assertThat(Path.of("?")).doesNotExist();
    }

    private void add() {
        captured.with("XDG_STATE_HOME", state.toString());
        EventLog.of(captured.terminal().environment()).add(captured.terminal(), "attach", 7, Status.OK, "");
    }

    @Test
    void logAndFolderAreAccessibleToTheOwnerOnly() throws Exception {
        add();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state.resolve("mayfly"))))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state.resolve("mayfly/events.jsonl"))))
                .isEqualTo("rw-------");
    }

    @Test
    void worldReadableLogIsRestrictedToTheOwner() throws Exception {
        Path folder = Files.createDirectory(state.resolve("mayfly"));
        Set<PosixFilePermission> open = PosixFilePermissions.fromString("rw-r--r--");
        for (String name : List.of("events.jsonl", "events.jsonl.1")) {
            Files.setPosixFilePermissions(Files.createFile(folder.resolve(name)), open);
        }
        add();
        for (String name : List.of("events.jsonl", "events.jsonl.1")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(name))))
                    .isEqualTo("rw-------");
        }
        assertThat(captured.err()).isEmpty();
    }

    @Test
    void worldWritableFolderIsNotUsed() throws Exception {
        Path folder = Files.createDirectory(state.resolve("mayfly"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        add();
        assertThat(folder).isEmptyDirectory();
        assertThat(captured.err()).contains("may be written to by other users");
    }

    @Test
    void symlinkInPlaceOfTheLogIsNotFollowed() throws Exception {
        Path others = Files.writeString(state.resolve("others"), "before");
        Files.createSymbolicLink(Files.createDirectory(state.resolve("mayfly")).resolve("events.jsonl"), others);
        add();
        assertThat(others).hasContent("before");
        assertThat(captured.err()).contains("cannot be written");
    }

    @Test
    void symlinkInPlaceOfTheLockFileIsNotFollowed() throws Exception {
        Path others = state.resolve("others");
        Files.createSymbolicLink(Files.createDirectory(state.resolve("mayfly")).resolve("events.jsonl.lock"), others);
        add();
        assertThat(others).doesNotExist();
        assertThat(captured.err()).contains("cannot be written");
    }

    @Test
    @Tag("privileged")
    void folderOfAnotherUserIsNotUsed() throws Exception {
        Path folder = Files.createDirectory(state.resolve("mayfly"));
        try {
            Files.setAttribute(folder, "unix:uid", 65534);
        } catch (IOException e) {
            assumeTrue(false, "only root can give a folder away");
        }
        add();
        assertThat(folder).isEmptyDirectory();
        assertThat(captured.err()).contains("belongs to another user (id 65534)");
    }

    @Test
    void invalidHomePathIsReportedOnStderr() {
        captured.with("HOME", "/home/\0");
        EventLog.of(captured.terminal().environment()).add(captured.terminal(), "attach", 7, Status.OK, "");
        assertThat(captured.err()).contains("nothing is logged");
    }
}
