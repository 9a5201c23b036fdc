package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import mayfly.client.Attachment;
import mayfly.client.AuditComparison;
import mayfly.client.AuditReport;
import mayfly.client.JavaRuntime;
import mayfly.client.Mayfly;
import mayfly.client.MayflyException;
import mayfly.client.ProfilerStatus;
import mayfly.client.Recording;
import mayfly.client.ThreadDump;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.ScriptedProfiler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The library, with the launcher of this checkout and real targets. */
class ClientTest {
    private static final Duration LIMIT = Patience.of(Duration.ofMinutes(3));

    @TempDir
    private Path folder;

    private Mayfly mayfly;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @BeforeEach
    void install() throws IOException, MayflyException {
        mayfly = Mayfly.at(InstalledCommand.in(folder)).timeLimit(LIMIT);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void recordingWritesItsFileAndReturnsItsFigures(Jdk jdk) throws Exception {
        Path file = folder.resolve("cpu.html");
        try (Jvm jvm = Jvm.run("Busy").on(jdk).start()) {
            Recording cpu = mayfly.record(jvm.pid())
                    .duration(Duration.ofSeconds(2))
                    .to(file)
                    .run();
            assertThat(cpu.file()).isEqualTo(file).isNotEmptyFile();
            assertThat(cpu.pid()).isEqualTo(jvm.pid());
            assertThat(cpu.mainClass()).isEqualTo("mayfly.targets.Busy");
            assertThat(cpu.samples()).isPositive();
            assertThat(cpu.complete()).isPositive().isLessThanOrEqualTo(cpu.samples());
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void dumpHasTheThreadsOfTheProgram(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").args("2").on(jdk).start()) {
            ThreadDump dump = mayfly.stack(jvm.pid()).run();
            assertThat(dump.threads()).extracting(ThreadDump.DumpedThread::name).contains("main", "busy-0", "busy-1");
            ThreadDump one = mayfly.stack(jvm.pid()).thread("busy-1").together().run();
            assertThat(one.together()).isTrue();
            assertThat(one.threads())
                    .hasSize(1)
                    .first()
                    .satisfies(thread -> assertThat(thread.frames())
                            .anyMatch(frame -> frame.toString().contains("mayfly.targets.Busy")));
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void profilerIsAttachedAnswersAndIsDetachedByClose(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            Attachment kept;
            try (Attachment attachment = mayfly.attach(jvm.pid(), jar).run()) {
                assertThat(attachment.send("echo still there")).isEqualTo("still there");
                assertThat(attachment.send("echo @/etc/hostname")).isEqualTo("@/etc/hostname");
                assertThat(attachment.status()).hasValueSatisfying(status -> {
                    assertThat(status.state()).isEqualTo("active");
                    assertThat(status.profiler()).isEqualTo(ScriptedProfiler.class.getName());
                });
                MayflyException second =
                        failure(() -> mayfly.attach(jvm.pid(), jar).run());
                assertThat(second.reason()).isEqualTo(MayflyException.Reason.PROFILER_ALREADY_ACTIVE);
                kept = attachment;
            }
            assertThat(kept.status().map(ProfilerStatus::state)).isEmpty();
            kept.close();
            assertThat(failure(kept::detach).reason()).isEqualTo(MayflyException.Reason.NO_PROFILER);
        }
    }

    static List<Jdk> seconds(TestInfo test) {
        return JvmPair.seconds(test);
    }

    /** The manifest, and not the caller, has chosen the JVM. */
    @ParameterizedTest
    @MethodSource("seconds")
    void profilerIsAddressedInItsJvmBesideThatOfAnotherJvm(Jdk jdk) throws Exception {
        Path ofFirst = ProfilerJars.scripted(Files.createDirectory(folder.resolve("first")), "CLASS_LOADS", "first");
        Path any = ProfilerJars.scripted(Files.createDirectory(folder.resolve("any")), "");
        try (JvmPair pair = JvmPair.start(jdk)) {
            Attachment first = mayfly.attach(pair.pid(), ofFirst)
                    .data("CLASS_LOADS")
                    .acceptLastingCost()
                    .run();
            Attachment second =
                    mayfly.attach(pair.pid(), any).runtime(pair.churn().words()).run();
            assertThat(first.runtimes()).containsExactly(pair.aside().words());
            assertThat(second.runtimes()).containsExactly(pair.churn().words());
            assertThat(first.send("classes").lines())
                    .contains("mayfly.targets.SecondJvmLoad")
                    .doesNotContain("mayfly.targets.ThreadAndClassChurn");
            assertThat(first.status().map(ProfilerStatus::runtime))
                    .hasValue(pair.aside().words());
            first.close();
            assertThat(first.status()).isEmpty();
            assertThat(second.send("echo here")).isEqualTo("here");
            second.close();
        }
    }

    /** The manager of the profilers is the caller: it is outside of the JVMs, and has the data of all of them. */
    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement("X-17")
    void profilersOfAllJvmsOfAProcessHaveOneManager(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "CLASS_LOADS");
        Map<String, Attachment.Emissions> emissions = new TreeMap<>();
        try (JvmPair pair = JvmPair.start(jdk);
                Attachment all = mayfly.attach(pair.pid(), jar)
                        .data("CLASS_LOADS")
                        .acceptLastingCost()
                        .runtime("all")
                        .run()) {
            assertThat(all.runtimes()).containsExactly("r1", "r2");
            for (String runtime : all.runtimes()) {
                emissions.put(runtime, all.in(runtime).follow());
                all.in(runtime).send("emit from " + runtime);
            }
            for (String runtime : all.runtimes()) {
                assertThat(emissions.get(runtime).next(LIMIT)).hasValue("complete");
                assertThat(emissions.get(runtime).next(LIMIT)).hasValue("from " + runtime);
            }
            assertThat(all.in(pair.churn().words()).send("classes").lines())
                    .contains("mayfly.targets.ThreadAndClassChurn")
                    .doesNotContain("mayfly.targets.SecondJvmLoad");
            all.in("r1").close();
            assertThat(emissions.get("r1").next(LIMIT)).isEmpty();
            assertThat(emissions.get("r1").hasEnded()).isTrue();
            assertThat(all.in("r2").send("echo here")).isEqualTo("here");
            all.in("r2").close();
            assertThat(emissions.get("r2").next(LIMIT)).isEmpty();
            assertThat(all.in("r2").status()).isEmpty();
        } finally {
            emissions.values().forEach(Attachment.Emissions::close);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void auditListsAProfilerAndItsComparisonHasTheTraces(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        Path saved = folder.resolve("saved");
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            AuditReport before = mayfly.audit(jvm.pid()).save(saved).run();
            assertThat(before.kinds()).isNotEmpty();
            try (Attachment attachment = mayfly.attach(jvm.pid(), jar).run()) {
                AuditComparison during = mayfly.audit(attachment.pid()).compare(saved);
                assertThat(during.comparedWith()).isEqualTo(before.time());
                assertThat(during.leftovers()).isNotEmpty();
            }
            assertThat(mayfly.audit(jvm.pid()).compare(saved).leftovers()).isEmpty();
        }
    }

    @Test
    void listOfRuntimesHasTheTarget() throws Exception {
        try (Jvm jvm = Jvm.run("Idle").start()) {
            assertThat(mayfly.ps())
                    .anySatisfy(runtime -> assertThat(runtime)
                            .extracting(JavaRuntime::pid, JavaRuntime::id, JavaRuntime::mainClass)
                            .containsExactly(jvm.pid(), "r1", "mayfly.targets.Idle"));
        }
    }

    @Test
    void ownProcessIsDumpedRecordedAndAudited() throws Exception {
        long own = ProcessHandle.current().pid();
        ThreadDump dump = mayfly.stack(own).run();
        assertThat(dump.threads())
                .anySatisfy(thread -> assertThat(thread.frames())
                        .anyMatch(
                                frame -> frame.toString().contains("ClientTest.ownProcessIsDumpedRecordedAndAudited")));
        Path file = folder.resolve("own.collapsed");
        Recording recording =
                mayfly.record(own).duration(Duration.ofSeconds(1)).to(file).run();
        assertThat(recording.pid()).isEqualTo(own);
        assertThat(file).exists();
        assertThat(mayfly.audit(own).run().kinds()).isNotEmpty();
    }

    /** The heap of this JVM may be too large for a collection without permission. */
    @Test
    void ownProcessHostsAProfiler() throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        try (Attachment attachment =
                mayfly.attach(ProcessHandle.current().pid(), jar).run()) {
            assertThat(attachment.send("echo here")).isEqualTo("here");
            attachment.detaching().collect().run();
        }
    }

    @Test
    void missingProcessIsAFailureWithItsKey() {
        MayflyException failure = failure(() -> mayfly.stack(999_999_999).run());
        assertThat(failure.reason()).isEqualTo(MayflyException.Reason.TARGET_NOT_FOUND);
        assertThat(failure.key()).isEqualTo("no-such-process");
        assertThat(failure.exitCode()).hasValue(3);
    }

    private interface Attempt {
        void run() throws Exception;
    }

    private static MayflyException failure(Attempt attempt) {
        MayflyException failure = catchThrowableOfType(MayflyException.class, attempt::run);
        assertThat(failure).isNotNull();
        return failure;
    }
}
