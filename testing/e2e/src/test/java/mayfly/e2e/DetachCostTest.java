package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.DetachMode;
import mayfly.attach.client.DetachOutcome;
import mayfly.attach.client.DetachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.audit.Audit;
import mayfly.audit.AuditComparison;
import mayfly.audit.AuditDifference;
import mayfly.audit.Verdict;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A detach stops a program with a large heap for a full collection only with permission. */
class DetachCostTest {
    private static final Duration SHORT = Duration.ofSeconds(3);

    /** G1 starts no marking cycle by itself, so that only the test's own requests unload classes. */
    private static final String QUIET_G1 = "-XX:+UseG1GC -XX:-G1UseAdaptiveIHOP -XX:InitiatingHeapOccupancyPercent=100";

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private Path log() {
        return folder.resolve("gc.log");
    }

    /**
     * Starts a program that keeps {@code live} MiB alive. The amount of {@link #startLarge} is too much for a forced
     * collection without permission.
     */
    private Jvm start(Jdk jdk, String options, String live, String most) {
        return Jvm.run("LargeHeap")
                .on(jdk)
                .with(options.split(" "))
                .with("-Xmx" + most, "-Xlog:gc,safepoint:file=" + log() + "::filecount=0")
                .args(live)
                .start();
    }

    private Jvm startLarge(Jdk jdk, String options) {
        return start(jdk, options, "256", "640m");
    }

    private long fullPauses() throws Exception {
        return Files.readAllLines(log()).stream()
                .filter(line -> line.contains("Pause Full"))
                .count();
    }

    private long heapWalks() throws Exception {
        return Files.readAllLines(log()).stream()
                .filter(line -> line.contains("HeapWalk"))
                .count();
    }

    private static int pid(Jvm jvm) {
        return Math.toIntExact(jvm.pid());
    }

    /** Returns the message of a detach that exceeds its time-out. */
    private static String late(Jvm jvm) {
        AttachFailed late = Attached.failure(() -> ProfilerClient.detach(pid(jvm), "go", SHORT));
        assertThat(late.status()).isEqualTo(Status.TIMEOUT);
        return String.valueOf(late.getMessage());
    }

    private static void assertWaitsForTheProgram(Jvm jvm) throws Exception {
        String waits = "the program's next collection that unloads classes, for which it waits";
        assertThat(late(jvm)).contains(waits).contains("mayfly detach --collect");
        assertThat(ProfilerClient.status(pid(jvm)).orElseThrow().pinnedBy()).startsWith(waits);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void detachWaitsForTheProgramsOwnCollectionOfAGigabyteHeap(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk, QUIET_G1, "900", "1500m")) {
            Audit before = Audit.of(pid(jvm));
            long pauses = fullPauses();
            Attached.to(jvm, folder, "");
            assertWaitsForTheProgram(jvm);
            assertThat(fullPauses()).isEqualTo(pauses);
            assertThat(jvm.ask("collect")).isEqualTo("collected");
            HostTrace.awaitNone(jvm);
            assertThat(fullPauses()).as("the program's own").isEqualTo(pauses + 1);
            List<AuditDifference> differences =
                    AuditComparison.of(before, Audit.of(pid(jvm))).differences();
            assertThat(differences).noneMatch(difference -> difference.verdict() == Verdict.LEFTOVER);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void fullCollectionOfALargeHeapNeedsPermission(Jdk jdk) throws Exception {
        for (String collector : Scale.some(QUIET_G1, "-XX:+UseSerialGC", "-XX:+UseParallelGC")) {
            try (Jvm jvm = startLarge(jdk, collector)) {
                Attached.to(jvm, folder, "");
                long before = fullPauses();
                assertWaitsForTheProgram(jvm);
                assertThat(fullPauses()).as(collector).isEqualTo(before);
                DetachOutcome gone = ProfilerClient.detach(new DetachRequest(
                        pid(jvm), DetachMode.ASK, DetachRequest.Collections.ALWAYS, "with permission", Attached.LIMIT));
                assertThat(gone.collections()).as(collector).isPositive();
                assertThat(fullPauses()).as(collector).isGreaterThan(before);
                assertThat(HostTrace.of(jvm)).isEmpty();
            }
        }
    }

    /** After a full collection the survivor spaces are empty, and no counter shows that the new objects are alive. */
    @ParameterizedTest
    @MethodSource("jdks")
    void objectsThatAreNewSinceAFullCollectionCountInTheEstimate(Jdk jdk) throws Exception {
        for (String collector : Scale.some("-XX:+UseSerialGC", "-XX:+UseParallelGC")) {
            try (Jvm jvm = start(jdk, collector + " -Xms700m -Xmn500m", "1", "700m")) {
                assertThat(jvm.ask("collect")).isEqualTo("collected");
                assertThat(jvm.ask("keep 240")).isEqualTo("kept");
                Attached.to(jvm, folder, "");
                long before = fullPauses();
                assertWaitsForTheProgram(jvm);
                assertThat(fullPauses()).as(collector).isEqualTo(before);
            }
        }
    }

    /** A full G1 collection takes time for each committed gigabyte, used or not. */
    @ParameterizedTest
    @MethodSource("jdks")
    void theSizeOfAHeapOfG1CountsInTheEstimate(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk, QUIET_G1 + " -Xms10g", "2", "10g")) {
            Attached.to(jvm, folder, "");
            assertWaitsForTheProgram(jvm);
            assertThat(fullPauses()).isZero();
        }
    }

    /**
     * With JVMTI, an environment remains after the classes have been unloaded, until the next collection of any kind.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    void programsOwnFullCollectionUnloadsAWaitingProfiler(Jdk jdk) throws Exception {
        for (String collector : Scale.some("-XX:+UseSerialGC", QUIET_G1)) {
            try (Jvm jvm = startLarge(jdk, collector)) {
                Attached.to(jvm, folder, "THREADS CLASS_LOADS");
                assertWaitsForTheProgram(jvm);
                assertThat(jvm.ask("collect")).isEqualTo("collected");
                HostTrace.awaitNone(jvm);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void programsOwnG1MarkingCyclesUnloadAWaitingProfiler(Jdk jdk) throws Exception {
        String cycles = QUIET_G1 + " -XX:+ExplicitGCInvokesConcurrent -XX:MaxTenuringThreshold=1";
        try (Jvm jvm = startLarge(jdk, cycles)) {
            Attached.to(jvm, folder, "");
            assertWaitsForTheProgram(jvm);
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!HostTrace.of(jvm).isEmpty()) {
                deadline.check("the profiler was not unloaded");
                jvm.ask("collect");
            }
            assertThat(fullPauses()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aSmallHeapIsCollectedAtOnce(Jdk jdk) throws Exception {
        for (String collector : List.of("-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC")) {
            try (Jvm jvm = start(jdk, collector, "8", "256m")) {
                Attached.to(jvm, folder, "");
                DetachOutcome gone = ProfilerClient.detach(pid(jvm), "go", Attached.LIMIT);
                assertThat(gone.collections()).as(collector).isPositive();
                assertThat(fullPauses()).as(collector).isPositive();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void concurrentCyclesOfZgcAndShenandoahUnloadAProfilerInALargeHeap(Jdk jdk) throws Exception {
        for (String collector : List.of("-XX:+UseZGC", "-XX:+UseShenandoahGC")) {
            try (Jvm jvm = startLarge(jdk, collector)) {
                Attached.to(jvm, folder, "");
                long before = fullPauses();
                DetachOutcome gone = ProfilerClient.detach(pid(jvm), "go", Attached.LIMIT);
                assertThat(gone.collections()).as(collector).isPositive();
                assertThat(fullPauses()).as(collector).isEqualTo(before);
                assertThat(HostTrace.of(jvm)).isEmpty();
            }
        }
    }

    /**
     * With this flag Shenandoah ignores requests for a collection from System.gc(), JVMTI and jcmd. Its first cycle
     * begins when a third of the heap is full: in a large heap this is after the two detaches.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    void detachNamesDisableExplicitGcAndEndsWithShenandoahsCycle(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk, "-XX:+UseShenandoahGC -XX:+DisableExplicitGC -Xms2g", "8", "2g")) {
            Attached.to(jvm, folder, "");
            assertThat(late(jvm))
                    .contains("for which it waits: with -XX:+DisableExplicitGC")
                    .doesNotContain("--collect");
            AttachFailed late = Attached.failure(() -> ProfilerClient.detach(new DetachRequest(
                    pid(jvm), DetachMode.ASK, DetachRequest.Collections.ALWAYS, "with permission", SHORT)));
            assertThat(late).hasMessageContaining("for which it waits: with -XX:+DisableExplicitGC");
            assertThat(jvm.ask("keep 900")).isEqualTo("kept");
            HostTrace.awaitNone(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void shutdownHookInALargeHeapIsNamedWithoutACollection(Jdk jdk) throws Exception {
        try (Jvm jvm = startLarge(jdk, QUIET_G1)) {
            Attached profiler = Attached.to(jvm, folder, "");
            profiler.ask("hook");
            assertThat(late(jvm))
                    .contains("; now that is a shutdown hook -> mayfly.profilers.testing.ScriptedProfiler");
            assertThat(fullPauses()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("mayfly.e2e.DetachTest#jdksWithVirtualThreads")
    void aVirtualThreadOfAProfilerInALargeHeapIsNamedWithoutACollection(Jdk jdk) throws Exception {
        try (Jvm jvm = startLarge(jdk, "-XX:+UseSerialGC")) {
            Attached profiler = Attached.to(jvm, folder, "");
            long before = fullPauses();
            profiler.ask("virtual");
            assertThat(late(jvm)).contains("; now that is virtual thread #");
            assertThat(fullPauses()).isEqualTo(before);
            assertThat(heapWalks()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void heapIsNotWalkedIfAUsualPlaceRetainsTheProfiler(Jdk jdk) throws Exception {
        for (String collector : Scale.some("-XX:+UseShenandoahGC", "-XX:+UseG1GC")) {
            try (Jvm jvm = start(jdk, collector, "8", "256m")) {
                Attached profiler = Attached.to(jvm, folder, "CLASS_LOADS");
                profiler.ask("hook");
                assertThat(late(jvm))
                        .contains("; now that is a shutdown hook -> mayfly.profilers.testing.ScriptedProfiler");
                assertThat(heapWalks()).as(collector).isZero();
                Attached.failure(() -> ProfilerClient.detach(new DetachRequest(
                        pid(jvm), DetachMode.ASK, DetachRequest.Collections.ALWAYS, "with permission", SHORT)));
                // On a busy machine the search of the heap may end after the time-out of the command.
                Deadline deadline = Deadline.in(Attached.LIMIT);
                for (String path = pinnedBy(jvm); !path.startsWith("referenced by "); path = pinnedBy(jvm)) {
                    deadline.check("no path of references, but %s", path);
                }
                assertThat(heapWalks()).as(collector).isPositive();
            }
        }
    }

    private static String pinnedBy(Jvm jvm) throws Exception {
        return ProfilerClient.status(pid(jvm)).orElseThrow().pinnedBy();
    }

    /**
     * The search for threads that run code of the profiler takes the stacks of at most 16 threads at one safepoint. A
     * detach makes two such searches. An assertion on times would need an idle machine: with all threads at one
     * safepoint the search took 170 ms to 7 s.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    void stacksOfManyDeepThreadsAreTakenAtSeveralSafepoints(Jdk jdk) throws Exception {
        int threads = 400;
        try (Jvm jvm = Jvm.run("DeepThreads")
                .on(jdk)
                .with("-Xmx640m", "-Xlog:safepoint:file=" + log() + "::filecount=0")
                .args(Integer.toString(threads), "500")
                .start()) {
            Attached.to(jvm, folder, "");
            ProfilerClient.detach(pid(jvm), "go", Attached.LIMIT);
            List<String> lines = Files.readAllLines(log());
            long dumps =
                    lines.stream().filter(line -> line.contains("ThreadDump")).count();
            assertThat(dumps).isGreaterThan(2 * threads / 16);
        }
    }
}
