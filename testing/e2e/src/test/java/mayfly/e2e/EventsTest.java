package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import mayfly.api.Event;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Partly;
import mayfly.kit.Project;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.ScriptedProfiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The events that a profiler receives and the calls that it may make. */
class EventsTest {
    private static final int ROUNDS = Scale.count(20, 1000);
    /** A time limit that is sufficient for 1,000 collections on a busy machine. */
    private static final Duration PATIENCE = Scale.seconds(60, 600);

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    /** Waits until a callback has run a number of times; callbacks from the host's thread arrive a moment later. */
    private static void await(Attached profiler, String callback, long times) throws Exception {
        Deadline deadline = Deadline.in(PATIENCE);
        while (profiler.count(callback) < times) {
            deadline.check(callback);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-01", "C-01"})
    void subscribedEventsAreReported(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler =
                    Attached.to(jvm, folder, "THREADS CLASS_LOADS MODULE_LOADS GARBAGE_COLLECTIONS COMPILED_METHODS");
            for (int i = 0; i < 5; i++) {
                assertThat(jvm.ask("thread t" + i)).isEqualTo("ended");
                assertThat(jvm.ask("load")).isEqualTo("a guest");
            }
            assertThat(jvm.ask("unload")).isEqualTo("collected");
            await(profiler, "threadCreated", 5);
            await(profiler, "threadDestroyed", 5);
            await(profiler, "classLoaded", 5);
            await(profiler, "classUnloaded", 5);
            await(profiler, "moduleLoaded", 5);
            await(profiler, "moduleUnloaded", 5);
            await(profiler, "garbageCollectionStarted", 1);
            await(profiler, "garbageCollectionFinished", 1);
            jvm.ask("churn");
            await(profiler, "methodCompiled", 1);
            profiler.detach();
        }
    }

    /**
     * Unloading is reported with the pause that unloaded the classes, or with the next one: a concurrent collector may
     * have no further pause for them.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("R-01")
    void classUnloadingIsReportedWithEveryCollector(Jdk jdk) throws Exception {
        List<List<String>> collectors = List.of(
                List.of("-XX:+UseZGC"),
                List.of("-XX:+UseG1GC", "-XX:+ExplicitGCInvokesConcurrent"),
                List.of("-XX:+UseSerialGC"),
                List.of("-XX:+UseParallelGC"),
                List.of("-XX:+UseG1GC"),
                List.of("-XX:+UseShenandoahGC"));
        int count = Scale.count(2, collectors.size() - (StressStacksTest.hasShenandoah(jdk) ? 0 : 1));
        for (List<String> collector : collectors.subList(0, count)) {
            try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                    .on(jdk)
                    .with(collector.toArray(String[]::new))
                    .start()) {
                Attached profiler = Attached.to(jvm, folder, "CLASS_LOADS MODULE_LOADS");
                for (int i = 0; i < 5; i++) {
                    jvm.ask("load");
                }
                Deadline deadline = Deadline.in(PATIENCE);
                while (profiler.count("classUnloaded") < 5 || profiler.count("moduleUnloaded") < 5) {
                    deadline.check("%s", collector);
                    jvm.ask("unload");
                }
                profiler.detach();
                assertThat(HostTrace.of(jvm)).as("%s", collector).isEmpty();
            }
        }
    }

    /**
     * JVMTI's own event for unloaded classes can stop the whole JVM permanently on JDK 21 and later (decision 0013).
     */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-28")
    void detachDuringClassUnloadingAndSafepointsDoesNotHang(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            jvm.ask("stop-the-world");
            for (int i = 0; i < Scale.count(10, 300); i++) {
                Attached profiler = Attached.to(jvm, folder, "CLASS_LOADS");
                await(profiler, "classUnloaded", 1);
                profiler.detach();
                long work = Long.parseLong(jvm.ask("work"));
                Deadline deadline = Deadline.in(PATIENCE);
                while (Long.parseLong(jvm.ask("work")) == work) {
                    deadline.check("no progress after round %d", i);
                }
            }
        }
    }

    /** The JVM's own list of log outputs is the oracle for changes. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("R-03")
    @Partly("R-03: exceptions are available only at launch, as the JVM offers them")
    void suspensionsAreReportedWithoutJvmtiAndTheVmLogIsRestored(Jdk jdk) throws Exception {
        try (Jvm jvm =
                Jvm.run("ThreadAndClassChurn").on(jdk).with("-XX:+UseSerialGC").start()) {
            String log = jcmd(jvm, "VM.log list");
            Attached profiler = Attached.to(jvm, folder, "SUSPENSIONS");
            for (int i = 0; i < 20; i++) {
                jvm.ask("unload");
            }
            await(profiler, "runtimeSuspended", 20);
            assertThat(profiler.count("impossible suspensions")).isZero();
            assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))
                            .orElseThrow()
                            .jvmti())
                    .isFalse();
            assertThat(jcmd(jvm, "VM.log list")).isNotEqualTo(log);
            assertThat(profiler.ask("mask")).isEqualTo("OK");
            assertThat(jcmd(jvm, "VM.log list")).isEqualTo(log);
            assertThat(profiler.ask("mask SUSPENSIONS")).isEqualTo("OK");
            profiler.detach();
            assertThat(jcmd(jvm, "VM.log list")).isEqualTo(log);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-02", "R-03", "R-05"})
    void eventForbiddenAfterAttachIsRefusedWithoutEffect(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "THREADS, EXCEPTIONS");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            ProfilerClient.attach(Attached.request(jvm, jar, "THREADS"));
            int pid = Math.toIntExact(jvm.pid());
            for (Event refused : Set.of(Event.EXCEPTIONS, Event.CLASS_LOADS)) {
                assertThat(ask(pid, "mask " + refused))
                        .as("launch only, or not in the manifest")
                        .isEqualTo("UNSUPPORTED_FOR_ATTACHING_PROFILER");
                assertThat(ask(pid, "has-mask")).isEqualTo("[THREADS]");
            }
            ProfilerClient.detach(pid, "done", Attached.LIMIT);
        }
    }

    /** An attached profiler cannot get launch-only events; every other event can be unsubscribed at any time. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-01", "R-04"})
    void everyEventAllowedAfterAttachCanBeUnsubscribed(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, ProfilerJars.names(event -> true));
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            int pid = Math.toIntExact(jvm.pid());
            ProfilerClient.attach(Attached.request(jvm, jar, ""));
            for (Event event : Event.values()) {
                boolean allowed = event.isAllowedAfterAttach() && event.since() <= jdk.feature();
                String outcome = allowed ? "OK" : "UNSUPPORTED_FOR_ATTACHING_PROFILER";
                assertThat(ask(pid, "mask " + event)).as("%s", event).isEqualTo(outcome);
                assertThat(ask(pid, "mask")).as("%s", event).isEqualTo("OK");
            }
            assertThat(ask(pid, "mask THREADS")).isEqualTo("OK");
            assertThat(ask(pid, "detach")).isEqualTo("OK");
            HostTrace.awaitNone(jvm);
        }
    }

    /** A profiler that requires an event for each allocation is not attached at all; ALLOCATIONS are samples. */
    @Test
    @Requirement("R-06")
    void eventForEachAllocationIsRefusedAsUnknown() throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("allocations.jar"),
                ProfilerJars.manifest(ScriptedProfiler.class.getName(), "1", "THREADS, EACH_ALLOCATION"));
        try (Jvm jvm = Jvm.run("Idle").start()) {
            AttachFailed failed = Attached.failure(() -> ProfilerClient.attach(Attached.request(jvm, jar, "")));
            assertThat(failed.status()).isEqualTo(Status.ATTACH_REFUSED);
            assertThat(failed).hasMessageContaining("unknown event: EACH_ALLOCATION");
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    private static String jcmd(Jvm jvm, String command) throws Exception {
        Command done =
                Command.run(Attached.LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), command);
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        return done.stdout();
    }

    private static String ask(int pid, String command) throws Exception {
        return new String(ProfilerClient.send(pid, command.getBytes(), Attached.LIMIT));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"C-02", "C-06", "C-07"})
    void existingThreadsClassesAndModulesAreEnumerated(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            jvm.ask("stay a thread that was there");
            jvm.ask("load");
            Attached profiler = Attached.to(jvm, folder, "THREADS CLASS_LOADS MODULE_LOADS COMPILED_METHODS");
            assertThat(profiler.ask("threads").lines()).contains("main", "a thread that was there");
            assertThat(profiler.ask("classes").lines())
                    .contains(
                            "java.lang.Object",
                            "mayfly.targets.ThreadAndClassChurn",
                            "mayfly.targets.ThreadAndClassChurn$Guest");
            assertThat(profiler.ask("modules").lines()).contains("java.base", "-");
            Set<String> compiled = profiler.ask("compiled").lines().collect(Collectors.toSet());
            assertThat(compiled).anyMatch(name -> name.startsWith("java.lang."));
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void orderlyEndOfTheJvmIsReportedAndLeavesNoFile(Jdk jdk) throws Exception {
        Path told = folder.resolve("told");
        long pid;
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            pid = jvm.pid();
            Attached profiler = Attached.to(jvm, folder, "");
            profiler.ask("shutdown-file " + told);
            assertThat(jvm.exit()).isZero();
        }
        assertThat(told).hasContent("shut down");
        assertThat(Checks.files(Path.of("/tmp")))
                .noneMatch(file -> file.toString().startsWith("/tmp/.mayfly-" + pid + "-"));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-19")
    void threadIsWalkedDuringConstantCollections(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            jvm.ask("stay sleeper");
            Attached profiler = Attached.to(jvm, folder, "STACK_SNAPSHOTS GARBAGE_COLLECTIONS");
            jvm.ask("stop-the-world");
            long collections = profiler.count("garbageCollectionFinished");
            Deadline deadline = Deadline.in(PATIENCE);
            while (profiler.count("garbageCollectionFinished") < collections + ROUNDS) {
                assertThat(profiler.ask("stack sleeper")).contains("mayfly.targets.ThreadAndClassChurn.stay:");
                deadline.check("too few collections");
            }
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-18")
    void stackOfAnotherThreadNeedsASubscription(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            jvm.ask("stay sleeper");
            Attached profiler = Attached.to(jvm, folder, "STACK_SNAPSHOTS");
            assertThat(profiler.ask("stack sleeper").lines()).first().asString().startsWith("java.lang.Thread.sleep");
            assertThat(profiler.ask("stack sleeper")).contains("mayfly.targets.ThreadAndClassChurn.stay:");
            profiler.ask("mask");
            assertThat(Attached.statusOf(() -> profiler.ask("stack sleeper")).name())
                    .isEqualTo("UNSUPPORTED_FOR_ATTACHING_PROFILER");
            profiler.detach();
        }
    }

    /** The JVM does not report a collector's concurrent work: a concurrent cycle is several pauses. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("R-07")
    void unreportedCollectorPhasesAreStatedAtSubscription(Jdk jdk) throws Exception {
        Map<String, String> sentences = Scale.DEEP
                ? Map.of(
                        "-XX:+UseSerialGC",
                        "",
                        "-XX:+UseParallelGC",
                        "",
                        "-XX:+UseG1GC",
                        "G1 marks",
                        "-XX:+UseZGC",
                        "ZGC works")
                : Map.of("-XX:+UseSerialGC", "", "-XX:+UseZGC", "ZGC works");
        for (Map.Entry<String, String> expected : sentences.entrySet()) {
            try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                    .on(jdk)
                    .with(expected.getKey(), "-Xmx128m")
                    .start()) {
                Attached profiler = Attached.to(jvm, folder, "GARBAGE_COLLECTIONS");
                String said = profiler.ask("not-reported");
                assertThat(said.isEmpty())
                        .as("%s: %s", expected.getKey(), said)
                        .isEqualTo(expected.getValue().isEmpty());
                assertThat(said).startsWith(expected.getValue());
                long before = profiler.count("garbageCollectionStarted");
                jvm.ask("unload");
                await(
                        profiler,
                        "garbageCollectionFinished",
                        before + (expected.getKey().contains("ZGC") ? 2 : 1));
                if (said.isEmpty()) {
                    assertThat(profiler.count("garbageCollectionStarted"))
                            .as("%s", expected.getKey())
                            .isEqualTo(before + 1);
                }
                assertThat(profiler.ask("mask")).isEqualTo("OK");
                assertThat(profiler.ask("not-reported")).isEmpty();
                profiler.detach();
            }
        }
    }

    /**
     * The Javadoc of the interface states that each call may cause a collection. The test causes collections with
     * the calls that allocate a lot.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("R-11")
    void anyInfoCallMayCollectAsDocumented(Jdk jdk) throws Exception {
        assertThat(Files.readString(Project.root().resolve("api/src/main/java/mayfly/api/ProfilerInfo.java"))
                        .replaceAll("\\s+\\* ", " "))
                .contains("All methods run Java code, so they may allocate and thus cause a collection");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-XX:+UseSerialGC", "-Xmn1m", "-Xmx64m")
                .start()) {
            jvm.ask("stay sleeper");
            Attached profiler = Attached.to(
                    jvm,
                    folder,
                    "THREADS CLASS_LOADS MODULE_LOADS GARBAGE_COLLECTIONS COMPILED_METHODS" + " STACK_SNAPSHOTS");
            for (String call : List.of("100 threads", "20 classes", "20 modules", "20 compiled", "100 stack sleeper")) {
                long before = profiler.count("garbageCollectionStarted");
                profiler.ask("repeat " + call);
                await(profiler, "garbageCollectionStarted", before + 1);
            }
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"T-07", "T-06"})
    void lockHolderMayAskForTypesWhileAGcCallbackWaits(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).with("-Xmx256m").start()) {
            Attached profiler = Attached.to(jvm, folder, "CLASS_LOADS GARBAGE_COLLECTIONS");
            profiler.ask("lock-gc " + ROUNDS);
            await(profiler, "rounds", ROUNDS);
            await(profiler, "waited", ROUNDS);
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("T-08")
    void lockHolderMayCollectWhileAClassLoadCallbackWaits(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).with("-Xmx256m").start()) {
            Attached profiler = Attached.to(jvm, folder, "CLASS_LOADS");
            jvm.ask("churn");
            profiler.ask("lock-class " + ROUNDS);
            await(profiler, "rounds", ROUNDS);
            await(profiler, "waited", ROUNDS);
            profiler.detach();
        }
    }
}
