package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import mayfly.api.testing.AttachedProfiler;
import mayfly.api.testing.ProfilerTestException;
import mayfly.api.testing.TargetJvm;
import mayfly.api.testing.TargetProgram;
import mayfly.client.Mayfly;
import mayfly.client.MayflyException;
import mayfly.client.ProfilerStatus;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import mayfly.kit.Project;
import mayfly.profilers.testing.ScriptedProfiler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The test kit for authors of profilers, with the launcher of this checkout and real JVMs. */
class ApiTestingTest {
    private static final Duration LIMIT = Patience.of(Duration.ofMinutes(1));

    @TempDir
    private Path folder;

    private Mayfly mayfly;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @BeforeEach
    void install() throws IOException, MayflyException {
        mayfly = Mayfly.at(InstalledCommand.in(folder));
    }

    private static TargetProgram program(String name, Jdk jdk) {
        return TargetProgram.of(
                        "mayfly.targets." + name,
                        Path.of(Project.targetClassPath().split(":")[0]))
                .javaHome(jdk.home())
                .timeLimit(LIMIT);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void profilerIsDrivenDetachedAndLeavesNothingTwice(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        try (TargetJvm jvm = program("Idle", jdk)
                .options("-Xmx32m")
                .readyWhenPrinted("READY")
                .start(mayfly)) {
            for (int cycle = 0; cycle < 2; cycle++) {
                try (AttachedProfiler profiler = jvm.attach(jar, request -> request.data("text"))) {
                    assertThat(profiler.send("data")).startsWith("4 ");
                    profiler.send("emit first");
                    profiler.send("emit second");
                    assertThat(profiler.awaitEmission("second")).isEqualTo("second");
                    assertThat(profiler.emissions()).containsSubsequence("first", "second");
                    assertThat(profiler.status().map(ProfilerStatus::profiler))
                            .hasValue(ScriptedProfiler.class.getName());
                    profiler.detach();
                    profiler.assertNothingLeft();
                    assertThat(profiler.status()).isEqualTo(Optional.empty());
                }
            }
            jvm.writeLine("still there");
            assertThat(jvm.awaitOutput("still")).isEqualTo("still there");
        }
    }

    /** Without a text to wait for, the JVM has not started yet when the audit is made. */
    @ParameterizedTest
    @MethodSource("jdks")
    void profilerIsAttachedToAJvmThatHasJustBeenStarted(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        try (TargetJvm jvm = program("Idle", jdk).start(mayfly);
                AttachedProfiler profiler = jvm.attach(jar)) {
            assertThat(profiler.send("echo here")).isEqualTo("here");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void profilerThatIsStillThereFailsTheAssertion(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        try (TargetJvm jvm = program("Idle", jdk).readyWhenPrinted("READY").start(mayfly);
                AttachedProfiler profiler = jvm.attach(jar)) {
            assertThatThrownBy(profiler::assertNothingLeft)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("descriptors: /memfd:mayfly-host-")
                    .hasMessageContaining("the profiler is active: detach it first");
        }
    }

    @Test
    void timerThatTheProfilerLeavesIsNamedByTheDetachAndByTheAssertion() throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        try (Jvm running = Jvm.run("Idle").start();
                TargetJvm jvm = TargetJvm.ofProcess(running.pid(), mayfly, Patience.of(Duration.ofSeconds(5)));
                AttachedProfiler profiler = jvm.attach(jar)) {
            profiler.send("timer");
            ProfilerTestException failure = catchThrowableOfType(ProfilerTestException.class, profiler::detach);
            assertThat(failure).isNotNull().hasMessageContaining("thread \"");
            assertThat(failure.reason()).hasValue(MayflyException.Reason.TIMEOUT);
            assertThatThrownBy(profiler::assertNothingLeft)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("  threads: ")
                    .hasMessageContaining("the profiler is pinned");
            assertThat(running.isAlive()).isTrue();
        }
    }

    @Test
    void programThatEndsIsReportedByTheAttachWithItsOutput() throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        try (TargetJvm jvm = program("Hello", Jdk.current()).start(mayfly)) {
            jvm.awaitOutput("hello");
            ProfilerTestException failure =
                    catchThrowableOfType(ProfilerTestException.class, () -> attachUntilItFails(jvm, jar));
            assertThat(failure).hasMessageContaining("its output:\nhello");
        }
    }

    private static void attachUntilItFails(TargetJvm jvm, Path jar) {
        while (true) {
            jvm.attach(jar).close();
        }
    }
}
