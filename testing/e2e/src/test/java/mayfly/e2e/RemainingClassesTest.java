package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.attach.launch.LaunchFiles;
import mayfly.attach.launch.LaunchRequest;
import mayfly.audit.Audit;
import mayfly.audit.AuditComparison;
import mayfly.audit.AuditDifference;
import mayfly.audit.AuditKind;
import mayfly.audit.Verdict;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** In a JVM that never unloads classes, a detach removes everything but the profiler's classes. */
class RemainingClassesTest {
    private static final List<String> NEVER_COLLECTS = List.of("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC");
    private static final List<String> NEVER_UNLOADS = List.of("-XX:-ClassUnloading");

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private static Jvm start(Jdk jdk, List<String> options) {
        return Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with(options.toArray(String[]::new))
                .start();
    }

    private Attached attach(Jvm jvm, String script) throws Exception {
        Path jar = ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS);
        return Attached.by(new AttachRequest(
                Math.toIntExact(jvm.pid()),
                jar,
                Optional.empty(),
                Optional.of(script.getBytes()),
                Attached.LIMIT,
                Acceptance.LASTING_COST,
                Acceptance.REMAINING_CLASSES));
    }

    /** Returns the failure of an attach of another class of the same jar. */
    private AttachFailed failure(Jvm jvm, String className, Duration limit) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        return Attached.failure(() -> Attached.by(new AttachRequest(
                Math.toIntExact(jvm.pid()),
                jar,
                Optional.of(className),
                Optional.empty(),
                limit,
                Acceptance.LASTING_COST,
                Acceptance.REMAINING_CLASSES)));
    }

    private static Audit audit(Jvm jvm) throws Exception {
        return Audit.of(Math.toIntExact(jvm.pid()));
    }

    private static void awaitPinnedBy(Jvm jvm, String pinnedBy) throws Exception {
        Deadline deadline = Deadline.in(Attached.LIMIT);
        for (String seen = ""; !seen.contains(pinnedBy); ) {
            deadline.check(seen);
            seen = ProfilerClient.status(Math.toIntExact(jvm.pid()))
                    .orElseThrow()
                    .toString();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-23", "D-13"})
    void detachLeavesOnlyClassesAndAllowsAnotherAttach(Jdk jdk) throws Exception {
        for (List<String> options : List.of(NEVER_UNLOADS, NEVER_COLLECTS)) {
            String script = options.equals(NEVER_UNLOADS) ? "THREADS CLASS_LOADS SUSPENSIONS" : "SUSPENSIONS";
            try (Jvm jvm = start(jdk, options)) {
                jvm.ask("thread warm");
                jvm.ask("load");
                Audit before = audit(jvm);
                for (int i = 0; i < 3; i++) {
                    Attached profiler = attach(jvm, script);
                    assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))
                                    .orElseThrow()
                                    .remainingClasses())
                            .isTrue();
                    assertThat(jvm.ask("thread seen")).isEqualTo("ended");
                    assertThat(profiler.ask("echo there")).isEqualTo("there");
                    assertThat(profiler.detach().remainingClasses()).isTrue();
                    assertThat(HostTrace.of(jvm)).isEmpty();
                }
                assertThat(AuditComparison.of(before, audit(jvm)).of(Verdict.LEFTOVER))
                        .as("%s", options)
                        .extracting(AuditDifference::kind)
                        .isNotEmpty()
                        .allMatch(kind -> kind == AuditKind.CLASSES || kind == AuditKind.CLASS_LOADERS);
                assertThat(jvm.ask("thread after")).isEqualTo("ended");
                assertThat(jvm.exit()).isZero();
            }
        }
    }

    /** A collection frees the JVMTI environment, and this JVM never collects. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-23")
    void jvmtiIsRefusedWithACollectorThatNeverCollects(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk, NEVER_COLLECTS)) {
            Audit before = audit(jvm);
            AttachFailed refused = Attached.failure(() -> attach(jvm, "THREADS"));
            assertThat(refused.status()).isEqualTo(Status.UNSUPPORTED_FOR_ATTACHING_PROFILER);
            assertThat(refused).hasMessageContaining("never collects");
            HostTrace.awaitNone(jvm);
            assertThat(audit(jvm).section(AuditKind.JVMTI_ENVIRONMENTS))
                    .isEqualTo(before.section(AuditKind.JVMTI_ENVIRONMENTS));
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-05", "D-15"})
    void detachWithRemainingClassesWaitsForARegisteredMBean(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk, NEVER_UNLOADS)) {
            Attached profiler = attach(jvm, "");
            profiler.ask("bean");
            assertThat(profiler.ask("detach")).isEqualTo("OK");
            awaitPinnedBy(jvm, "the MBean testing:type=Bean");
            jvm.ask("forget");
            HostTrace.awaitNone(jvm);
            profiler = attach(jvm, "");
            profiler.ask("executor");
            assertThat(profiler.ask("detach")).isEqualTo("OK");
            awaitPinnedBy(jvm, "a task of the executor of ");
            assertThat(jvm.ask("thread another")).as("the program goes on").isEqualTo("ended");
        }
    }

    /**
     * The host refuses the profiler before any of its code runs: otherwise the bytes of its jar would remain in the
     * target, as the classes of its loader do.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-18", "A-23"})
    void profilerRefusedInAnAttachWithRemainingClassesIsRemoved(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk, NEVER_UNLOADS)) {
            AttachFailed refused = failure(jvm, "mayfly.profilers.testing.NotAProfiler", Attached.LIMIT);
            assertThat(refused).hasMessageContaining("does not implement mayfly.api.Profiler");
            HostTrace.awaitNone(jvm);
            attach(jvm, "THREADS").detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-18", "D-05"})
    void threadOfAProfilerThatFailedToStartIsAwaited(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk, NEVER_UNLOADS)) {
            AttachFailed failed =
                    failure(jvm, "mayfly.profilers.testing.FailingConstructorProfiler", Duration.ofSeconds(2));
            assertThat(failed)
                    .hasMessageContaining("thrown by the constructor")
                    .hasMessageContaining("not unloaded yet");
            awaitPinnedBy(jvm, "thread \"abandoned\"");
            jvm.ask("release");
            HostTrace.awaitNone(jvm);
        }
    }

    /** No collection proves that the library is unused, and the stacks of virtual threads are not available. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-05")
    void callersInsideTheProfilerReturnBeforeADetachWithRemainingClasses(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk, NEVER_UNLOADS)) {
            for (int i = 0; i < Scale.count(5, 100); i++) {
                Attached profiler = attach(jvm, "");
                profiler.ask("callers");
                Deadline deadline = Deadline.in(Attached.LIMIT);
                while (profiler.count("emitted") < 100) {
                    deadline.check("the state was not reached");
                }
                assertThat(profiler.detach().remainingClasses()).isTrue();
                assertThat(HostTrace.of(jvm)).isEmpty();
            }
            assertThat(jvm.ask("thread after")).isEqualTo("ended");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-23")
    void profilerGivenAtLaunchIsDetachedWithRemainingClasses(Jdk jdk) throws Exception {
        LaunchFiles files = LaunchFiles.temporary(new LaunchRequest(
                ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS),
                Optional.empty(),
                Duration.ofSeconds(30),
                Set.of(Acceptance.LASTING_COST, Acceptance.REMAINING_CLASSES)));
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-XX:-ClassUnloading")
                .environment("JAVA_TOOL_OPTIONS", files.option())
                .start()) {
            assertThat(ProfilerClient.detach(Math.toIntExact(jvm.pid()), "the test is over", Attached.LIMIT)
                            .remainingClasses())
                    .isTrue();
            assertThat(HostTrace.of(jvm)).allMatch(line -> line.contains("/libmayflylaunch.so"));
        } finally {
            assertThat(files.remove()).isEmpty();
        }
        assertThat(Files.exists(files.folder())).isFalse();
    }
}
