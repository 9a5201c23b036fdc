package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.kit.Project;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A profile that cannot be written: the command reports it, and no partial file remains. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadOutputTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final int FAILED = 1;
    private final Jvm jvm = Jvm.run("Busy").start();

    @TempDir
    private Path folder;

    @BeforeAll
    void targetIsThere() {
        assertThat(jvm.isAlive()).isTrue();
    }

    @AfterAll
    void targetRunsOn() {
        assertThat(jvm.isAlive()).as(jvm.evidence()).isTrue();
        jvm.close();
    }

    private String[] to(String output, String... more) {
        String[] all = {"record", "-d", "300ms", "-F", "999", "-o", output, Long.toString(jvm.pid())};
        String[] line = Arrays.copyOf(all, all.length + more.length);
        System.arraycopy(more, 0, line, all.length, more.length);
        return line;
    }

    @ParameterizedTest
    @ValueSource(strings = {"out.html", "out.collapsed", "out.mayfly"})
    void outputInAMissingDirectoryIsRefused(String name) throws Exception {
        Checks.refused(
                LaunchedMayfly.run(
                        LIMIT, folder, to(folder.resolve("none").resolve(name).toString())),
                FAILED,
                "output",
                folder);
    }

    /** The command refuses the name before the recording, not after it. */
    @ParameterizedTest
    @ValueSource(strings = {"", "none/../out.html", "long", "loop.html"})
    void impossibleOutputNameIsRefusedBeforeTheRecording(String name, @TempDir Path links) throws Exception {
        Path loop = Files.createSymbolicLink(links.resolve("loop.html"), Path.of("loop.html"));
        String output = switch (name) {
            case "" -> "";
            case "long" -> folder.resolve("x".repeat(300) + ".html").toString();
            case "loop.html" -> loop.toString();
            default -> folder.resolve(name).toString();
        };
        Command done = LaunchedMayfly.run(LIMIT, folder, to(output));
        Checks.refused(done, name.isEmpty() ? 2 : FAILED, name.isEmpty() ? "usage" : "output", folder);
        assertThat(done.stderr()).as(done.evidence()).doesNotContain("sampling process");
        Files.delete(loop);
    }

    @Test
    void fullStandardOutputIsReported() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")), "no /dev/full");
        Command done = Command.run(
                LIMIT,
                "sh",
                "-c",
                "exec \"$@\" >/dev/full",
                "sh",
                "env",
                "MAYFLY_NO_BUILD=1",
                Project.launcher().toString(),
                "ps",
                "--json");
        assertThat(done.exitCode()).as(done.evidence()).isEqualTo(FAILED);
        assertThat(done.stderr()).as(done.evidence()).contains("standard output", "[output]");
    }

    @Test
    void directoryAsOutputIsRefused(@TempDir Path taken) throws Exception {
        Checks.refused(
                LaunchedMayfly.run(LIMIT, folder, to(taken.toString(), "--format", "html")), FAILED, "output", folder);
        assertThat(Checks.files(taken)).isEmpty();
    }

    @Test
    void outputInAnUnwritableDirectoryIsRefused() throws Exception {
        List<String> asNobody = Privileges.asNobody();
        try (Jvm theirs = Jvm.run("Idle").under(asNobody.toArray(String[]::new)).start()) {
            Path roots = Files.createDirectories(folder.resolve("roots"));
            Command done = LaunchedMayfly.runUnder(
                    asNobody,
                    LIMIT,
                    Path.of("/"),
                    "record",
                    "-d",
                    "300ms",
                    "-o",
                    roots.resolve("out.html").toString(),
                    Long.toString(theirs.pid()));
            Checks.refused(done, FAILED, "output", roots);
            Files.delete(roots);
        }
    }

    @Test
    void fullDeviceIsReportedAndTheRecordingIsKept() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")), "no /dev/full");
        for (String format : List.of("html", "mayfly")) {
            Command done = LaunchedMayfly.run(LIMIT, folder, to("/dev/full", "--format", format));
            Checks.refused(done, FAILED, "output", folder);
            Path kept = Path.of(done.stderr().replaceFirst("(?s).*the recording is kept: (\\S+).*", "$1"));
            assertThat(kept).as(done.evidence()).isNotEmptyFile();
            Files.delete(kept);
        }
        assertThat(Files.isRegularFile(Path.of("/dev/full"))).isFalse();
    }

    /**
     * Uses a private mount namespace, so that the mount does not remain. The script lists the files left in it: the
     * recording so far.
     */
    @ParameterizedTest
    @ValueSource(strings = {"out.html", "out.collapsed", "out.mayfly"})
    void fullDiskKeepsTheRecordingSoFar(String name) throws Exception {
        Privileges.assumeRoot("to mount a small disk");
        Command done = Command.run(
                LIMIT,
                "unshare",
                "--mount",
                "--propagation",
                "private",
                "sh",
                "-c",
                "mount -t tmpfs -o size=4k none \"$1\" || exit 99; cd \"$1\"; code=0;"
                        + " MAYFLY_NO_BUILD=1 \"$2\" record -d 2s -F 4999 --lines -t -o \"$1/$3\" \"$4\" || code=$?;"
                        + " ls -A; exit $code",
                "sh",
                folder.toString(),
                Project.launcher().toString(),
                name,
                Long.toString(jvm.pid()));
        assumeTrue(done.exitCode() != 99, "nothing can be mounted here: " + done.stderr());
        assertThat(done.exitCode()).as(done.evidence()).isEqualTo(FAILED);
        assertThat(done.stderr())
                .as(done.evidence())
                .contains(
                        "[output]",
                        "No space left on device",
                        "the recording is kept: " + folder.resolve("out.mayfly"));
        assertThat(done.stdout()).as(done.evidence()).isEqualTo("out.mayfly");
    }

    @Test
    void failedRecordingKeepsTheExistingFile() throws Exception {
        Path file = Files.writeString(folder.resolve("kept.html"), "precious");
        Command done = LaunchedMayfly.run(LIMIT, folder, "record", "-d", "300ms", "-o", file.toString(), "999999999");
        assertThat(done.exitCode()).as(done.evidence()).isNotZero();
        assertThat(file).hasContent("precious");
        assertThat(Checks.files(folder)).containsExactly(file);
    }
}
