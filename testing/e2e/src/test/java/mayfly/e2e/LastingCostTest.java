package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import mayfly.attach.client.Acceptance;
import mayfly.attach.launch.LaunchFiles;
import mayfly.attach.launch.LaunchRequest;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code doctor PID} shows who uses JVMTI, and if virtual threads are slower because of it. */
class LastingCostTest {
    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private static String jvmti(Jvm jvm) {
        Command doctor = CommandLine.run("doctor", Long.toString(jvm.pid()));
        assertThat(doctor.exitCode()).as(doctor.evidence()).isZero();
        return doctor.stdout()
                .lines()
                .filter(line -> line.contains("JVMTI: "))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void jvmWithoutAUserOfJvmtiHasNoEnvironment(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            assertThat(jvmti(jvm)).containsAnyOf("JVMTI: no environment", "JVMTI: not seen: ");
            // An asynchronous event needs no environment.
            Attached.withoutJvmti(jvm, folder).detach();
            assertThat(jvmti(jvm)).containsAnyOf("JVMTI: no environment", "JVMTI: not seen: ");
        }
    }

    static List<Jdk> withVirtualThreads() {
        return AttachTest.hosts().stream().filter(jdk -> jdk.feature() >= 21).toList();
    }

    @ParameterizedTest
    @MethodSource("withVirtualThreads")
    void flightRecorderAndAProfilerHaveSlowedVirtualThreads(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached.to(jvm, folder, "THREADS").detach();
            assertThat(jvmti(jvm)).contains("empty environment, marked by Mayfly; virtual threads are slower until");
        }
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-XX:StartFlightRecording=filename=" + folder.resolve("recording.jfr"))
                .start()) {
            assertThat(jvmti(jvm)).contains("environment of the flight recorder; virtual threads are slower until");
        }
    }

    /** The launch library reads the version from the JVM's own tables before the JVM has started. */
    @ParameterizedTest
    @MethodSource("withVirtualThreads")
    void jvmOfAnotherVersionThanRequestedHasNoEnvironment(Jdk jdk) throws Exception {
        int other = jdk.feature() == 21 ? 25 : 21;
        LaunchFiles files = LaunchFiles.temporary(new LaunchRequest(
                ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS),
                Optional.empty(),
                Attached.LIMIT,
                Set.of(Acceptance.LASTING_COST),
                Optional.of(other)));
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .environment("JAVA_TOOL_OPTIONS", files.option())
                .start()) {
            assertThat(jvm.evidence())
                    .contains("it was requested for Java " + other + ", and this is Java " + jdk.feature());
            assertThat(jvmti(jvm)).contains("JVMTI: no environment");
        } finally {
            files.remove();
        }
    }
}
