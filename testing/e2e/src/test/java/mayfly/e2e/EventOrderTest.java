package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.EventOrderProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The time at which a profiler receives events, and the time after which it receives none. */
class EventOrderTest {
    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private void attach(Jvm jvm, String script) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("ordered.jar"),
                ProfilerJars.manifest(EventOrderProfiler.class.getName(), "1", ProfilerJars.ALL_EVENTS));
        ProfilerClient.attach(new AttachRequest(
                pid(jvm),
                jar,
                Optional.empty(),
                Optional.of(script.getBytes(StandardCharsets.UTF_8)),
                Attached.LIMIT,
                Acceptance.LASTING_COST));
    }

    private static int pid(Jvm jvm) {
        return Math.toIntExact(jvm.pid());
    }

    private static String ask(Jvm jvm, String command) throws AttachFailed {
        return new String(
                ProfilerClient.send(pid(jvm), command.getBytes(StandardCharsets.UTF_8), Attached.LIMIT),
                StandardCharsets.UTF_8);
    }

    private static long number(Jvm jvm, String command) throws AttachFailed {
        return Long.parseLong(ask(jvm, command));
    }

    private static void detach(Jvm jvm) throws Exception {
        ProfilerClient.detach(pid(jvm), "done", Attached.LIMIT);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("R-09")
    void noEventIsReportedBeforeTheInitializationReturns(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            CompletableFuture<Void> attaching = new CompletableFuture<>();
            Thread.ofPlatform().start(() -> {
                try {
                    attach(jvm, "linger THREADS CLASS_LOADS");
                    attaching.complete(null);
                } catch (Exception e) {
                    attaching.completeExceptionally(e);
                }
            });
            while (!isInitialising(jvm)) {
                assertThat(attaching.isDone()).isFalse();
            }
            for (int i = 0; i < 10; i++) {
                assertThat(jvm.ask("thread t" + i)).isEqualTo("ended");
                assertThat(jvm.ask("load")).isEqualTo("a guest");
            }
            jvm.ask("release");
            attaching.get();
            assertThat(number(jvm, "told-early")).isZero();
            jvm.ask("thread last");
            assertThat(number(jvm, "told")).isPositive();
            detach(jvm);
        }
    }

    private static boolean isInitialising(Jvm jvm) {
        try {
            return ProfilerClient.status(pid(jvm))
                    .filter(status -> status.longest().startsWith("initializeForAttach"))
                    .isPresent();
        } catch (AttachFailed e) {
            return false; // its record is being created
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"C-04", "C-05"})
    void eventAfterAnEnumerationHasAHigherSequenceNumber(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            attach(jvm, "THREADS CLASS_LOADS");
            for (int i = 0; i < 5; i++) {
                jvm.ask("load");
            }
            String[] twice = ask(jvm, "twice").split(" ");
            assertThat(Long.parseLong(twice[0])).as("reported by events").isGreaterThanOrEqualTo(5);
            assertThat(Long.parseLong(twice[1]))
                    .as("reported by events and by the enumeration")
                    .isEqualTo(5);
            ask(jvm, "enumerate");
            jvm.ask("thread one");
            jvm.ask("load");
            assertThat(number(jvm, "after")).isGreaterThanOrEqualTo(3);
            assertThat(number(jvm, "before")).isZero();
            detach(jvm);
        }
    }

    /** While a command runs, the events for the host's thread wait. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("C-05")
    void eventThatWaitedDuringAnEnumerationHasALowerSequenceNumber(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            attach(jvm, "COMPILED_METHODS");
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (number(jvm, "compile 1000") == 0) {
                deadline.check("no method of the profiler was compiled");
            }
            while (ask(jvm, "compiled-after").startsWith("0 ")) {
                deadline.check("no event had waited");
            }
            detach(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("C-08")
    void endOfACollectionIsReportedOnlyAfterItsStart(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("SelfCheckingLoad")
                .args("gc")
                .on(jdk)
                .with("-XX:+UseSerialGC")
                .start()) {
            attach(jvm, "GARBAGE_COLLECTIONS");
            for (int i = 0; i < Scale.count(30, 300); i++) {
                long ends = number(jvm, "ends");
                while (number(jvm, "ends") == ends) {
                    assertThat(jvm.isAlive()).isTrue();
                }
                ask(jvm, "mask none");
                ask(jvm, "mask GARBAGE_COLLECTIONS");
            }
            assertThat(number(jvm, "ends-without-start")).isZero();
            detach(jvm);
            Steadiness.assertRunsOn(jvm, "after the detach");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-03", "D-07"})
    void noEventIsReportedAfterADetachRequest(Jdk jdk) throws Exception {
        Path file = folder.resolve("told");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            attach(jvm, "THREADS CLASS_LOADS");
            jvm.ask("load");
            ask(jvm, "report-later " + file);
            jvm.ask("thread one");
            assertThat(number(jvm, "told")).isPositive();
            ProfilerClient.requestDetach(pid(jvm), "go", Attached.LIMIT);
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!Files.exists(file) || !Files.readString(file).equals("-1")) {
                deadline.check("the profiler has not noticed the request");
            }
            long cpu = hostTicks(jvm);
            long start = System.nanoTime();
            int threads = 0;
            while (System.nanoTime() - start < 1_000_000_000L) {
                assertThat(jvm.ask("thread t" + threads++)).isEqualTo("ended");
                assertThat(jvm.ask("load")).isEqualTo("a guest");
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            assertThat((hostTicks(jvm) - cpu) / 100.0 / seconds)
                    .as("share of a CPU, waiting")
                    .isLessThan(0.3);
            jvm.ask("release");
            HostTrace.collectUntilNone(jvm);
            assertThat(file).hasContent("0");
        }
    }

    /**
     * The load of a class may report its module too, and a collection may unload many classes. If the profiler requests
     * its detach during such a batch, the remaining events of the batch are not reported.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-03")
    void restOfAnEventBatchIsDroppedAfterADetachRequest(Jdk jdk) throws Exception {
        for (String callback : List.of("moduleLoaded", "classUnloaded", "moduleUnloaded")) {
            Path late = folder.resolve(callback);
            try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
                jvm.ask("load");
                attach(jvm, "CLASS_LOADS MODULE_LOADS GARBAGE_COLLECTIONS");
                for (int i = 0; i < 5; i++) {
                    jvm.ask("load");
                }
                ask(jvm, "detach-at " + callback + " " + late);
                jvm.ask("load");
                jvm.ask("unload");
                HostTrace.awaitNone(jvm);
            }
            assertThat(late).as(callback).hasContent("0");
        }
    }

    /** Returns the CPU time of the host's thread, in hundredths of a second. */
    private static long hostTicks(Jvm jvm) throws Exception {
        for (Path task : Checks.files(Path.of("/proc", Long.toString(jvm.pid()), "task"))) {
            String stat = Files.readString(task.resolve("stat"));
            if (stat.contains("(Mayfly host)")) {
                String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
            }
        }
        throw new AssertionError("there is no host");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("T-05")
    void threadThatWaitsInItsEndCallbackBlocksNoCollection(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            attach(jvm, "THREADS");
            jvm.ask("stay waits");
            ask(jvm, "hang-threads");
            jvm.ask("churn");
            while (!ProfilerClient.status(pid(jvm)).orElseThrow().longest().startsWith("threadDestroyed")) {
                assertThat(jvm.isAlive()).isTrue();
            }
            assertThat(jvm.ask("unload")).isEqualTo("collected");
            jvm.ask("release");
            detach(jvm);
        }
    }

    /** The program checks its own results. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-28")
    void programResultsStayCorrectDuringAttachCycles(Jdk jdk) throws Exception {
        try (Jvm jvm =
                Jvm.run("SelfCheckingLoad").args("churn", "classes").on(jdk).start()) {
            for (int i = 0; i < Scale.count(3, 100); i++) {
                attach(jvm, ProfilerJars.ALL_EVENTS);
                detach(jvm);
                Steadiness.assertRunsOn(jvm, "after cycle " + i);
            }
        }
    }
}
