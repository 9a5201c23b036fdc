package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.kit.Project;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Targets that cannot be profiled: the command prints the documented message id and exit code, and nothing else. */
class BadInputTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final int USAGE = 2;
    private static final int FAILED = 1;
    private static final int NOT_FOUND = 3;
    private static final int NOT_PERMITTED = 4;

    @TempDir
    private Path folder;

    private Command record(String... arguments) {
        return LaunchedMayfly.run(LIMIT, folder, with(arguments));
    }

    private static String[] with(String... arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = "record";
        all[1] = "-d";
        all[2] = "300ms";
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        return all;
    }

    @Test
    void recordOfAPidAboveTheMaximumIsRefused() throws Exception {
        long most = Checks.setting("kernel/pid_max");
        Checks.refused(record(Long.toString(most + 1)), NOT_FOUND, "no-such-process", folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"99999999999999999999", "4194305", "0"})
    void recordOfANumberThatIsNoProcessIsRefused(String pid) throws Exception {
        Checks.refused(record(pid), NOT_FOUND, "no-such-process", folder);
        Checks.refused(LaunchedMayfly.run(LIMIT, folder, "doctor", pid), NOT_FOUND, "no-such-process", folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void recordOfAnEmptyNameIsAUsageError(String name) throws Exception {
        Checks.refused(record(name), USAGE, "usage", folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-program-anywhere", "/no/such/program", "/etc/passwd", "/tmp"})
    void runOfAProgramThatCannotStartIsRefused(String program) throws Exception {
        Checks.refused(
                LaunchedMayfly.run(LIMIT, folder, "run", "--", program, "x"), FAILED, "program-not-started", folder);
    }

    @Test
    void psInARemovedDirectoryIsRefused() throws Exception {
        Command done = Command.run(
                LIMIT,
                "sh",
                "-c",
                "mkdir \"$1\"/gone && cd \"$1\"/gone && rmdir ../gone;" + " MAYFLY_NO_BUILD=1 exec \"$2\" ps",
                "sh",
                folder.toString(),
                Project.launcher().toString());
        assertThat(done.exitCode()).as(done.evidence()).isEqualTo(FAILED);
        assertThat(done.stderr()).contains("[no-folder]");
        Checks.noStackTrace(done);
    }

    @Test
    void recordOfAZombieIsRefused() throws Exception {
        // The child ends, and its parent has executed a program that does not collect it.
        Process parent = new ProcessBuilder("sh", "-c", "sh -c 'echo $$' & exec sleep 60").start();
        try (var out = new BufferedReader(new InputStreamReader(parent.getInputStream(), StandardCharsets.UTF_8))) {
            String pid = out.readLine();
            Path stat = Path.of("/proc", pid, "stat");
            Deadline deadline = Deadline.in(LIMIT);
            while (!Files.readString(stat).contains(") Z ")) {
                deadline.check("the process is not a zombie");
            }
            Checks.refused(record(pid), NOT_FOUND, "zombie", folder);
        } finally {
            parent.destroyForcibly().waitFor();
        }
    }

    @Test
    void recordOfANonJvmIsRefused() throws Exception {
        Process sleep = new ProcessBuilder("sleep", "60").start();
        try {
            Checks.refused(record(Long.toString(sleep.pid())), NOT_FOUND, "not-a-jvm", folder);
            assertThat(sleep.isAlive()).isTrue();
        } finally {
            sleep.destroyForcibly().waitFor();
        }
    }

    @Test
    void recordOfAKernelThreadIsRefused() throws Exception {
        assumeTrue(Files.readString(Path.of("/proc/2/comm")).startsWith("kthreadd"), "kernel threads are not visible");
        Checks.refused(record("2"), NOT_FOUND, "not-a-jvm", folder);
    }

    @Test
    void recordOfAStartingJvmIsRefused(@TempDir Path startFolder) throws Exception {
        try (Jvm jvm = Jvm.run("Idle")
                .in(startFolder)
                .with("-XX:+UnlockDiagnosticVMOptions", "-XX:+PauseAtStartup")
                .startUnready()) {
            Path paused = startFolder.resolve("vm.paused." + jvm.pid());
            Deadline deadline = Deadline.in(LIMIT);
            while (!Files.exists(paused)) {
                deadline.check("the JVM does not pause at its start");
            }
            Checks.refused(record(Long.toString(jvm.pid())), FAILED, "jvm-starting", folder);
            Files.delete(paused);
            jvm.awaitReady(LIMIT);
            Checks.recorded(
                    record("-o", folder.resolve("x.html").toString(), Long.toString(jvm.pid())),
                    folder.resolve("x.html"));
        }
    }

    @Test
    void recordOfAnotherUsersJvmIsNotPermitted() throws Exception {
        List<String> asNobody = Privileges.asNobody();
        Privileges.giveToNobody(folder);
        try (Jvm jvm = Jvm.run("Idle").start()) {
            String pid = Long.toString(jvm.pid());
            Checks.refused(
                    LaunchedMayfly.runUnder(asNobody, LIMIT, folder, with(pid)),
                    NOT_PERMITTED,
                    "not-permitted",
                    folder);
            Checks.refused(
                    LaunchedMayfly.runUnder(asNobody, LIMIT, folder, with("--collector", "ptrace", pid)),
                    NOT_PERMITTED,
                    "not-permitted",
                    folder);
        }
    }

    @Test
    void recordOfAnAmbiguousNameIsRefused() throws Exception {
        try (Jvm one = Jvm.run("Ladder").start();
                Jvm two = Jvm.run("Ladder").start()) {
            Command done = record("mayfly.targets.Ladder");
            Checks.refused(done, NOT_FOUND, "ambiguous", folder);
            assertThat(done.stderr()).contains(Long.toString(one.pid()), Long.toString(two.pid()));
        }
    }

    @Test
    void recordOfAnUnknownNameIsRefused() throws Exception {
        Checks.refused(record("no.such.program.Anywhere"), NOT_FOUND, "no-such-process", folder);
    }

    @Test
    void forbiddenCollectorIsNotPermitted() throws Exception {
        List<String> asNobody = Privileges.asNobody();
        Privileges.giveToNobody(folder);
        try (Jvm jvm = Jvm.run("Idle").under(asNobody.toArray(String[]::new)).start()) {
            Checks.refused(
                    LaunchedMayfly.runUnder(
                            asNobody, LIMIT, folder, with("--collector", "system-wide", Long.toString(jvm.pid()))),
                    NOT_PERMITTED,
                    "not-permitted",
                    folder);
        }
    }

    @Test
    void recordAtAnImpossibleRateIsAUsageError() throws Exception {
        long most = Checks.setting("kernel/perf_event_max_sample_rate");
        assumeTrue(most < 1_000_000, "the kernel allows any rate");
        try (Jvm jvm = Jvm.run("Idle").start()) {
            String pid = Long.toString(jvm.pid());
            Checks.refused(record("-F", Long.toString(most + 1), pid), USAGE, "rate-too-high", folder);
            Checks.refused(record("-F", "0", pid), USAGE, "usage", folder);
            Checks.refused(record("-F", "99999999999", pid), USAGE, "usage", folder);
        }
    }
}
