package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import mayfly.kit.Command;
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

/** {@code mayfly run --profiler} as a user runs it. */
class LaunchedProgramTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final int USAGE = 2;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private Command mayfly(String... arguments) {
        return LaunchedMayfly.run(LIMIT, folder, arguments);
    }

    private String jar() throws Exception {
        return ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS).toString();
    }

    /** Returns the folder of the library that the JVM's message about its options names. */
    private static Path launchFolder(String stderr) {
        return Path.of(stderr.replaceFirst("(?s).*-agentpath:(/tmp/mayfly-launch-[0-9a-f]{32})/.*", "$1"));
    }

    /**
     * The program inherits Mayfly's standard streams, Mayfly returns its exit status, and the user's own options are
     * kept.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    void launchedProgramRunsToItsEndWithTheProfiler(Jdk jdk) throws Exception {
        Path told = folder.resolve("told");
        String java = String.join(
                " ",
                Jvm.run("ThreadAndClassChurn")
                        .on(jdk)
                        .with("-Dmayfly.testing.script=shutdown-file=" + told)
                        .command());
        Command done = LaunchedMayfly.runUnder(
                List.of("env", "JAVA_TOOL_OPTIONS=-Dmine=1"),
                LIMIT,
                folder,
                "run",
                "--profiler",
                jar(),
                "--accept-lasting-cost",
                "--",
                "sh",
                "-c",
                java + "; " + java + "; exit 7");
        assertThat(done.exitCode()).as(done.evidence()).isEqualTo(7);
        assertThat(done.stdout().lines()).containsExactly("READY churn", "READY churn");
        assertThat(done.stderr())
                .contains("Picked up JAVA_TOOL_OPTIONS: -Dmine=1 -agentpath:")
                .doesNotContain("mayfly: ");
        assertThat(told).as("the profiler was in each JVM until its end").hasContent("shut downshut down");
        assertThat(launchFolder(done.stderr())).doesNotExist();
    }

    /** The first JVM of the script finds the launch library, the second one does not. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-25")
    void preloadedProgramRunsWithTheProfilerOrWithoutIt(Jdk jdk) throws Exception {
        String java = String.join(" ", Jvm.run("ThreadAndClassChurn").on(jdk).command());
        Command done = mayfly(
                "run",
                "--profiler",
                jar(),
                "--preload",
                "--accept-lasting-cost",
                "--",
                "sh",
                "-c",
                java + "; rm ${LD_PRELOAD%/*}/libmayflylaunch.so; " + java + "; exit 7");
        assertThat(done.exitCode()).as(done.evidence()).isEqualTo(7);
        assertThat(done.stdout().lines()).containsExactly("READY churn", "READY churn");
        assertThat(done.stderr().lines())
                .hasSize(2)
                .anyMatch(line -> line.startsWith("Picked up JAVA_TOOL_OPTIONS: -agentpath:/tmp/mayfly-launch-"))
                .anyMatch(line -> line.startsWith("mayfly: this JVM runs without the profiler: ")
                        && line.endsWith("/libmayflylaunch.so cannot be opened [not-launched]"));
        assertThat(launchFolder(done.stderr())).doesNotExist();
    }

    @Test
    void preloadForAnotherLauncherIsPrinted() throws Exception {
        Path mine = folder.resolve("mine");
        Command done = mayfly("run", "--profiler", jar(), "--preload", "--print-environment", mine.toString());
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        assertThat(done.stdout().strip()).isEqualTo("LD_PRELOAD=" + mine + "/libmayflypreload.so");
        assertThat(Checks.files(mine)).hasSize(3);
        Path unnamed = folder.resolve("a:b");
        Command refused = mayfly("run", "--profiler", jar(), "--preload", "--print-environment", unnamed.toString());
        assertThat(refused.stderr()).contains("must not contain a blank, a colon or $", "[attach-refused]");
    }

    /**
     * The environment of a process contains the names of the files. A JVM that it starts would not start without them.
     */
    @Test
    void launchFilesStayWhileAProcessNamesThem() throws Exception {
        Command done = mayfly("run", "--profiler", jar(), "--", "sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!");
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        String sleeping = done.stdout().strip();
        try {
            assertThat(done.stderr())
                    .containsPattern("mayfly: /tmp/mayfly-launch-[0-9a-f]{32} remains, .* process " + sleeping + " ");
            Path stays = Path.of(done.stderr().replaceFirst("(?s).*mayfly: (/tmp/mayfly-launch-\\w+) remains.*", "$1"));
            assertThat(Checks.files(stays)).hasSize(2);
            for (Path file : Checks.files(stays)) {
                Files.delete(file);
            }
            Files.delete(stays);
        } finally {
            ProcessHandle.of(Long.parseLong(sleeping)).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void environmentForAnotherLauncherIsPrinted() throws Exception {
        Path mine = folder.resolve("mine");
        Command done =
                mayfly("run", "--profiler", jar(), "--accept-lasting-cost", "--print-environment", mine.toString());
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        assertThat(done.stdout().strip())
                .isEqualTo("JAVA_TOOL_OPTIONS=-agentpath:" + mine + "/libmayflylaunch.so=" + mine + "/profiler.launch");
        assertThat(Checks.files(mine)).hasSize(2);
    }

    @Test
    void conflictingRunOptionsAreRefused() throws Exception {
        String jar = jar();
        for (List<String> wrong : List.of(
                List.of("--profiler", jar, "-o", "x.html", "--", "true"),
                List.of("--profiler", jar, "--data", "x", "--", "true"),
                List.of("--timeout", "1s", "--", "true"),
                List.of("--preload", "--", "true"),
                List.of("--profiler", jar),
                List.of("--profiler", jar, "--print-environment", "x", "--", "true"))) {
            var arguments = new ArrayList<>(List.of("run"));
            arguments.addAll(wrong);
            Command done = mayfly(arguments.toArray(new String[0]));
            assertThat(done.exitCode()).as(done.evidence()).isEqualTo(USAGE);
            assertThat(done.stderr()).contains("[usage]");
        }
        Command missing = mayfly("run", "--profiler", folder.resolve("none.jar").toString(), "--", "true");
        assertThat(missing.stderr()).contains("does not exist", "[attach-refused]");
        assertThat(Checks.files(folder)).as("nothing was made").containsExactly(Path.of(jar));
    }
}
