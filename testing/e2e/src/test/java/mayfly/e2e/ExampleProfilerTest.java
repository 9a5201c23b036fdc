package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import mayfly.api.Status;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The example profiler, used as in its tutorial. */
class ExampleProfilerTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final Path JAR = Example.named("class-loads").jar();

    @TempDir
    private Path state;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private Command mayfly(String... arguments) {
        Command done = run(arguments);
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        return done;
    }

    private Command run(String... arguments) {
        return LaunchedMayfly.runWithState(state, LIMIT, arguments);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void exampleProfilerIsAttachedFollowedAskedAndDetached(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            String pid = Long.toString(jvm.pid());
            String before = state.resolve("before.audit").toString();
            mayfly("audit", pid, "--save", before);
            try (LaunchedMayfly follower = LaunchedMayfly.startUnder(
                    List.of("env", "XDG_STATE_HOME=" + state),
                    "attach",
                    pid,
                    "--profiler",
                    JAR.toString(),
                    "--data",
                    "mayfly.",
                    "--accept-lasting-cost",
                    "--follow")) {
                follower.awaitStderr("attached to process " + pid, LIMIT);
                assertThat(jvm.ask("load")).isEqualTo("a guest");
                Command during = run("audit", pid, "--compare", before);
                assertThat(during.exitCode()).as(during.evidence()).isEqualTo(1);
                assertThat(during.stdout())
                        .contains(
                                "leftover  descriptors: + /memfd:mayfly-host-",
                                " (deleted): the record of Mayfly's host");
                assertThat(mayfly("send", pid, "top").stdout())
                        .containsPattern("(?m)^1\\tmayfly.targets.ThreadAndClassChurn\\$Loader@");
                assertThat(mayfly("ps").stdout().lines().filter(line -> line.startsWith(pid + " ")))
                        .singleElement()
                        .asString()
                        .contains("  mayfly  ");
                mayfly("detach", pid);
                assertThat(follower.process().waitFor(LIMIT))
                        .as("it ends with the profiler")
                        .isTrue();
                assertThat(follower.process().exitValue()).as(follower.stderr()).isZero();
                assertThat(follower.stdout()).containsPattern("loaded before: \\d{3,} classes");
            }
            assertThat(mayfly("audit", pid, "--compare", before).stdout())
                    .containsAnyOf(
                            "\nnothing is different",
                            "\nonly items that may remain are left",
                            "\nno leftover was found; changed, by the program");
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @Test
    void outputBeforeTheFirstFollowerIsKept() throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").start()) {
            String pid = Long.toString(jvm.pid());
            mayfly("attach", pid, "--profiler", JAR.toString(), "--accept-lasting-cost");
            try (LaunchedMayfly follower =
                    LaunchedMayfly.startUnder(List.of("env", "XDG_STATE_HOME=" + state), "status", pid, "--follow")) {
                follower.awaitStdout("loaded before: ", LIMIT);
                mayfly("detach", pid);
                assertThat(follower.process().waitFor(LIMIT))
                        .as("it ends with the profiler")
                        .isTrue();
                assertThat(follower.process().exitValue()).as(follower.stderr()).isZero();
                assertThat(follower.stderr()).contains("com.example.ClassLoads is active");
            }
            Command none = run("status", pid, "--follow");
            assertThat(none.exitCode()).isEqualTo(10 + Status.NO_PROFILER.number());
            assertThat(run("status", pid, "--follow", "--json").stderr()).contains("exclude each other");
        }
    }

    @Test
    void theEndOfALeaseIsLogged() throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").start()) {
            String pid = Long.toString(jvm.pid());
            try (LaunchedMayfly follower = LaunchedMayfly.startUnder(
                    List.of("env", "XDG_STATE_HOME=" + state),
                    "attach",
                    pid,
                    "--profiler",
                    JAR.toString(),
                    "--accept-lasting-cost",
                    "--follow",
                    "--lease")) {
                follower.awaitStdout("loaded before: ", LIMIT);
                follower.terminate();
            }
            HostTrace.awaitNone(jvm);
            assertThat(Files.readAllLines(state.resolve("mayfly/events.jsonl")))
                    .hasSize(4)
                    .anyMatch(line -> line.contains("\"what\":\"detach-request\",\"pid\":" + pid)
                            && line.contains("the lease has ended"))
                    .last()
                    .asString()
                    .contains("\"what\":\"gone\",\"pid\":" + pid);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-12", "A-15", "D-10"})
    void successesAndFailuresAreLogged(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            String pid = Long.toString(jvm.pid());
            mayfly("attach", pid, "--profiler", JAR.toString(), "--accept-lasting-cost");
            assertThat(run("attach", pid, "--profiler", JAR.toString(), "--accept-lasting-cost")
                            .exitCode())
                    .isEqualTo(12);
            mayfly("detach", pid);
            List<String> log = Files.readAllLines(state.resolve("mayfly/events.jsonl"));
            assertThat(log).hasSize(5).allMatch(line -> line.contains("\"pid\":" + pid));
            assertThat(log.get(0)).contains("\"level\":\"information\"", "\"what\":\"attach-request\"");
            assertThat(log.get(1)).contains("\"level\":\"information\"", "\"what\":\"attach\"", "\"status\":\"OK\"");
            assertThat(log.get(2)).contains("\"what\":\"attach-request\"");
            assertThat(log.get(3))
                    .contains(
                            "\"level\":\"error\"", "\"status\":\"PROFILER_ALREADY_ACTIVE\"", "com.example.ClassLoads");
            assertThat(log.get(4))
                    .contains("\"level\":\"information\"", "\"what\":\"detach\"", "detached from process " + pid);
        }
    }

    /** The JVM is suspended, so the attach is not finished when its command is killed. */
    @Test
    @Requirement("A-12")
    void attachWhoseCommandIsKilledIsLogged() throws Exception {
        Path log = state.resolve("mayfly/events.jsonl");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").start()) {
            String pid = Long.toString(jvm.pid());
            Signals.stop(jvm);
            try (LaunchedMayfly attach = LaunchedMayfly.startUnder(
                    List.of("env", "XDG_STATE_HOME=" + state),
                    "attach",
                    pid,
                    "--profiler",
                    JAR.toString(),
                    "--accept-lasting-cost")) {
                Deadline deadline = Deadline.in(LIMIT);
                while (!Files.exists(log) || Files.readAllLines(log).isEmpty()) {
                    deadline.check("nothing is logged");
                }
                attach.process().toHandle().destroyForcibly();
                attach.process().onExit().join();
            } finally {
                Signals.resume(jvm);
            }
            assertThat(Files.readAllLines(log))
                    .singleElement()
                    .asString()
                    .contains(
                            "\"what\":\"attach-request\",\"pid\":" + pid,
                            JAR.getFileName().toString());
        }
    }
}
