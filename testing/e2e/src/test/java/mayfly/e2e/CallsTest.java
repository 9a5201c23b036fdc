package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import mayfly.api.ProfilerInfo;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.kit.Project;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.CallsProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The calls of a profiler and of its trigger at the border of two states. */
class CallsTest {
    private static final String FAILS = " " + Status.PROFILER_DETACHING;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private AttachRequest request(Jvm jvm, String script, Duration limit) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("calls.jar"),
                ProfilerJars.manifest(CallsProfiler.class.getName(), "1", ProfilerJars.ALL_EVENTS + ", METHOD_PROBES"));
        return Attached.request(jvm.pid(), jar, script, limit);
    }

    private Attached attach(Jvm jvm) throws Exception {
        return Attached.by(request(jvm, "", Attached.LIMIT));
    }

    private static String state(Jvm jvm) throws Exception {
        return DetachTest.status(jvm).state();
    }

    /** Returns the names of the calls that a detach makes fail. */
    private static Set<String> failing() {
        Set<String> names = Arrays.stream(ProfilerInfo.class.getMethods())
                .map(Method::getName)
                .collect(Collectors.toSet());
        names.remove("runtimeInformation");
        return names;
    }

    private static Set<String> names(String calls) {
        return calls.lines().map(line -> line.split(" ")[0]).collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-04", "D-24"})
    void everyCallAfterADetachRequestFails(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            String[] calls = attach(jvm).ask("detach-and-call").split("-\n");
            assertThat(calls[0].lines()).allMatch(line -> line.endsWith(" OK"));
            assertThat(calls[1].lines()).allMatch(line -> line.endsWith(FAILS));
            assertThat(names(calls[1])).containsExactlyInAnyOrderElementsOf(failing());
            HostTrace.collectUntilNone(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-04", "D-18"})
    void callsOfACallbackThatHasRequestedTheDetachFail(Jdk jdk) throws Exception {
        Path file = folder.resolve("nested");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("detach-in-callback " + file).lines()).allMatch(line -> line.endsWith(" OK"));
            assertThat(jvm.ask("load")).isEqualTo("a guest");
            HostTrace.collectUntilNone(jvm);
            String calls = Files.readString(file);
            assertThat(calls.lines()).allMatch(line -> line.endsWith(FAILS));
            assertThat(names(calls)).containsExactlyInAnyOrderElementsOf(failing());
            assertThat(jvm.ask("load")).isEqualTo("a guest");
        }
    }

    /** The rows of the table in {@link ProfilerInfo} that depend on the profiler; other tests have those of the JVM. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-02", "R-05"})
    void callsOfThePublishedListAreRefusedAtOnceWithoutEffect(Jdk jdk) throws Exception {
        String published = Files.readString(Project.root().resolve("api/src/main/java/mayfly/api/ProfilerInfo.java"));
        Path jar = ProfilerJars.jar(
                folder.resolve("refused.jar"),
                ProfilerJars.manifest(
                        CallsProfiler.class.getName(),
                        "1",
                        "THREADS, CLASS_LOADS, MODULE_LOADS, COMPILED_METHODS, STACK_SNAPSHOTS, EXCEPTIONS,"
                                + " METHOD_PROBES"));
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.by(Attached.request(jvm, jar, ""));
            List<String> outcomes = profiler.ask("refused").lines().toList();
            assertThat(outcomes.subList(0, outcomes.size() - 1))
                    .hasSize(16)
                    .allMatch(line -> line.endsWith(" " + Status.UNSUPPORTED_FOR_ATTACHING_PROFILER));
            assertThat(outcomes).last().isEqualTo("[]");
            for (String row : List.of(
                    "{@link #setEventMask} with {@link Event#EXCEPTIONS}</td><td>the JVM offers the event only at its"
                            + " start, and\n * the subscription makes a detach impossible",
                    "{@link #setExceptionsReported}</td><td>it needs that subscription",
                    "{@link #setEventMask} with any event</td><td>if the manifest does not list it",
                    "{@link #enumerateClasses}</td><td>without {@link Event#CLASS_LOADS}",
                    "{@link #enumerateModules}</td><td>without {@link Event#MODULE_LOADS}",
                    "{@link #enumerateCompiledMethods}, {@link #methodAt}</td><td>without {@link"
                            + " Event#COMPILED_METHODS}",
                    "{@link #addProbes}, {@link #removeProbes}, {@link #setProbesReporting}, {@link #probes},\n"
                            + " * {@link #framesOfReplacedCode}</td><td>without {@link Event#METHOD_PROBES}",
                    "{@code doStackSnapshot}, {@link #walkAllThreads}</td><td>without {@link Event#STACK_SNAPSHOTS}")) {
                assertThat(published).contains("<tr><td>" + row + "</td></tr>");
            }
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-22")
    void detachRequestWithADurationOutOfRangeLeavesTheProfilerAttached(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("detach-out-of-range")).isEqualTo("FAILED FAILED");
            long threads = profiler.count("threadCreated");
            assertThat(jvm.ask("thread another")).isEqualTo("ended");
            assertThat(profiler.count("threadCreated")).isGreaterThan(threads);
            assertThat(state(jvm)).isEqualTo("active");
            profiler.detach();
        }
    }

    /** Each call may collect. The collections happen while the lock is held, and their callback waits for it. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"T-06", "T-07"})
    void lockHolderMayMakeEveryCallWhileAGcCallbackWaits(Jdk jdk) throws Exception {
        Path file = folder.resolve("last");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).with("-Xmx64m").start()) {
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("lock-and-call " + Scale.count(10, 1000) + " " + file))
                    .isEqualTo("started");
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!Files.exists(file)) {
                deadline.check("the calls do not return");
            }
            String calls = Files.readString(file);
            assertThat(calls.lines()).allMatch(line -> line.endsWith(" OK"));
            assertThat(names(calls)).containsExactlyInAnyOrderElementsOf(failing());
            HostTrace.collectUntilNone(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("X-09")
    void versionOfTheRuntimeIsKnownDuringTheInitialization(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("version")).startsWith(jdk.version());
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("X-10")
    void runtimeThatTheProfilerDeclinesIsLoggedAsInformation(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            Command declined = LaunchedMayfly.runUnder(
                    List.of("env", "XDG_STATE_HOME=" + folder),
                    Attached.LIMIT,
                    folder,
                    "attach",
                    Long.toString(jvm.pid()),
                    "--profiler",
                    ProfilerJars.scripted(folder, "").toString(),
                    "--data",
                    "decline");
            assertThat(declined.exitCode())
                    .as(declined.evidence())
                    .isEqualTo(10 + Status.PROFILER_CANCEL_ACTIVATION.number());
            assertThat(declined.stderr()).contains("declined as requested");
            assertThat(Files.readAllLines(folder.resolve("mayfly/events.jsonl")))
                    .last()
                    .asString()
                    .contains(
                            "\"level\":\"information\",\"what\":\"attach\"",
                            "\"status\":\"PROFILER_CANCEL_ACTIVATION\"");
        }
    }

    /** An attach that waited a second time would take twice the time-out. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-04", "A-07", "A-08"})
    void attachTakesNoLongerThanItsTimeoutAndMaySucceedLater(Jdk jdk) throws Exception {
        Duration limit = Patience.of(Duration.ofSeconds(3));
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            AttachRequest request = request(jvm, "linger", limit);
            long begun = System.nanoTime();
            AttachFailed late = Attached.failure(() -> ProfilerClient.attach(request));
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isGreaterThanOrEqualTo(limit)
                    .isLessThan(limit.multipliedBy(2));
            assertThat(late.status()).as(late.toString()).isEqualTo(Status.TIMEOUT);
            assertThat(state(jvm)).isEqualTo("initializing");
            jvm.ask("release");
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!state(jvm).equals("active")) {
                deadline.check("the profiler is still %s", state(jvm));
            }
            AttachFailed second = Attached.failure(() -> attach(jvm));
            assertThat(second.status()).isEqualTo(Status.PROFILER_ALREADY_ACTIVE);
            assertThat(second).hasMessageContaining(CallsProfiler.class.getName());
            ProfilerClient.detach(Math.toIntExact(jvm.pid()), "done", Attached.LIMIT);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("C-09")
    void successIsReportedAfterTheCompletionCallbackHasReturned(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Path completing = folder.resolve("completing");
            AttachRequest request = request(jvm, "complete-later " + completing, Attached.LIMIT);
            CompletableFuture<Attached> attaching = new CompletableFuture<>();
            Thread.ofPlatform().start(() -> {
                try {
                    attaching.complete(Attached.by(request));
                } catch (Throwable e) {
                    attaching.completeExceptionally(e);
                }
            });
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!Files.exists(completing)) {
                deadline.check("the completion callback does not run");
            }
            assertThatThrownBy(() -> attaching.get(500, TimeUnit.MILLISECONDS))
                    .as("during the completion callback")
                    .isInstanceOf(TimeoutException.class);
            jvm.ask("release");
            attaching.get(Attached.LIMIT.toMillis(), TimeUnit.MILLISECONDS).detach();
        }
    }
}
