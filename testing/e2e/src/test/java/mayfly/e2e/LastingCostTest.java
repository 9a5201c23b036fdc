package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import mayfly.api.Event;
import mayfly.api.event.Delivery;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerJar.ApiPolicy;
import mayfly.attach.launch.LaunchFiles;
import mayfly.attach.launch.LaunchRequest;
import mayfly.audit.Audit;
import mayfly.audit.AuditSection;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Partly;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.LoggingProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code doctor PID} and {@code status PID} show who uses JVMTI, and if virtual threads are slower because of it. */
class LastingCostTest {
    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    /** Returns the line about the JVM of both commands. */
    static String jvmti(Jvm jvm) {
        Command doctor = CommandLine.run("doctor", Long.toString(jvm.pid()));
        assertThat(doctor.exitCode()).as(doctor.evidence()).isZero();
        Command status = CommandLine.run("status", Long.toString(jvm.pid()));
        assertThat(status.exitCode()).as(status.evidence()).isZero();
        String shown = line(doctor);
        assertThat(line(status)).isEqualTo(shown);
        return shown;
    }

    private static String line(Command done) {
        return done.stdout()
                .lines()
                .filter(line -> line.contains("JVMTI: "))
                .map(line -> line.substring(line.indexOf("JVMTI: ")))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void jvmWithoutAUserOfJvmtiHasNoEnvironment(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            assertThat(jvmti(jvm)).containsAnyOf("JVMTI: no environment", "JVMTI: not seen: ");
            // An asynchronous event needs no environment.
            Attached profiler = Attached.withoutJvmti(jvm, folder);
            assertThat(jvmti(jvm)).containsAnyOf("JVMTI: no environment", "JVMTI: not seen: ");
            profiler.detach();
            assertThat(jvmti(jvm)).containsAnyOf("JVMTI: no environment", "JVMTI: not seen: ");
        }
    }

    private static String jcmd(Jvm jvm, String command) {
        Command done =
                Command.run(Attached.LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), command);
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        return done.stdout();
    }

    /** The flags that have been set; HotSpot itself changes others, for example when a compiler begins. */
    private static String setFlags(Jvm jvm) throws Exception {
        String flags = jcmd(jvm, "VM.flags -all");
        assertThat(flags).contains("{default}");
        return flags.lines()
                .filter(line -> !line.endsWith("{default}") && !line.endsWith("{ergonomic}"))
                .collect(Collectors.joining("\n"));
    }

    /** The settings that can slow a program down: the JVM's log, its flags, and the permanent state of JVMTI. */
    private static List<String> settings(Jvm jvm) throws Exception {
        AuditSection environments = Audit.environmentsOf(Math.toIntExact(jvm.pid()));
        return List.of(
                jcmd(jvm, "VM.log list"),
                setFlags(jvm),
                environments.isSeen() ? environments.items().toString() : environments.problem());
    }

    /** The speed of programs after a detach is compared by the bench; this compares what could change it. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-30")
    @Partly("D-30: a synchronous event slows virtual threads on JDK 21 and later, after the user has accepted that")
    void allAsynchronousEventsLeaveTheSettingsOfTheJvmAsTheyWere(Jdk jdk) throws Exception {
        List<String> events = Arrays.stream(Event.values())
                .filter(event -> event.canBe(Delivery.ASYNCHRONOUS) && event.since() <= jdk.feature())
                .map(Event::name)
                .toList();
        assertThat(events).hasSizeGreaterThan(4);
        Path jar = ProfilerJars.jar(
                folder.resolve("logging.jar"),
                ProfilerJars.manifest(LoggingProfiler.class.getName(), "1", String.join(", ", events)));
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            List<String> before = settings(jvm);
            for (int round = 0; round < 3; round++) {
                Attached profiler = Attached.by(new AttachRequest(
                        Math.toIntExact(jvm.pid()),
                        jar,
                        Optional.empty(),
                        Optional.of(String.join(" ", events).getBytes(StandardCharsets.UTF_8)),
                        Attached.LIMIT));
                assertThat(profiler.ask("asynchronous").split(", ")).hasSameSizeAs(events);
                assertThat(jvm.ask("load")).isEqualTo("a guest");
                assertThat(jvm.ask("thread guest")).isEqualTo("ended");
                assertThat(jvm.ask("unload")).isEqualTo("collected");
                assertThat(settings(jvm).getFirst())
                        .as("the events change the log")
                        .isNotEqualTo(before.getFirst());
                profiler.detach();
                assertThat(settings(jvm)).isEqualTo(before);
            }
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

    @ParameterizedTest
    @MethodSource("withVirtualThreads")
    void jvmtiIsPermittedUnaskedWhereAnotherToolHasSlowedVirtualThreads(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "COMPILED_METHODS");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            String pid = Long.toString(jvm.pid());
            String limit = Attached.LIMIT.toSeconds() + "s";
            Command refused = CommandLine.run("attach", pid, "--profiler", jar.toString(), "--timeout", limit);
            assertThat(refused.exitCode()).as(refused.evidence()).isEqualTo(23);
            assertThat(jcmd(jvm, "JFR.start")).contains("Started recording");
            assertThat(jcmd(jvm, "JFR.stop name=1")).contains("Stopped recording");
            Command attached = CommandLine.run("attach", pid, "--profiler", jar.toString(), "--timeout", limit);
            if (attached.exitCode() == 23) {
                assumeFalse(jvmti(jvm).contains("JVMTI: not seen: "), "libjvm has no symbols");
            }
            assertThat(attached.exitCode()).as(attached.evidence()).isZero();
            assertThat(attached.stderr()).contains("mayfly: r1: JVMTI is permitted without --accept-lasting-cost");
            Command detached = CommandLine.run("detach", pid);
            assertThat(detached.exitCode()).as(detached.evidence()).isZero();
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
                ApiPolicy.OLDER,
                Set.of(other)));
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
