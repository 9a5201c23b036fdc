package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import mayfly.discovery.Refused;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import mayfly.kit.Requirement;
import mayfly.process.TargetThread;
import mayfly.profile.WalkOutcome;
import mayfly.profilers.testing.StackWalkProfiler;
import mayfly.stack.ThreadWalk;
import mayfly.stack.ThreadWalks;
import mayfly.stack.WalkRequest;
import mayfly.stack.WalkStatus;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Walks of threads that end, or change their state, during the walk. */
class ChangingThreadsTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));

    private static final String HOLD = "mayfly.targets.ThreadAndClassChurn.hold";

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    static List<Jdk> hosts(TestInfo test) {
        return AttachTest.jdks(test);
    }

    /** Waits until the thread {@code holder} is in its loop; returns its id. */
    private static int awaitHolder(ThreadWalks walks) throws Refused {
        Deadline deadline = Deadline.in(LIMIT);
        while (true) {
            for (TargetThread thread : walks.threads()) {
                SeenFrames seen = new SeenFrames();
                if (thread.name().equals("holder")
                        && SeenFrames.walk(walks, WalkRequest.of(thread.tid()), seen)
                                        .status()
                                == WalkStatus.DONE
                        && seen.methods().contains(HOLD)) {
                    return thread.tid();
                }
            }
            deadline.check("the thread does not hold anything");
        }
    }

    private static void awaitEnd(Jvm jvm, int tid) {
        Deadline deadline = Deadline.in(LIMIT);
        while (Files.exists(Path.of("/proc", Long.toString(jvm.pid()), "task", Integer.toString(tid)))) {
            deadline.check("the thread does not end");
        }
    }

    @Requirement("T-04")
    @ParameterizedTest
    @MethodSource("jdks")
    void walkOfAThreadThatEndsDuringTheWalkIsComplete(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start();
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            jvm.ask("take");
            int tid = awaitHolder(walks);
            SeenFrames seen = new SeenFrames();
            ThreadWalk result = SeenFrames.walk(walks, WalkRequest.of(tid), seen, report -> {
                if (seen.frames.isEmpty()) {
                    assertThat(jvm.ask("release")).isEqualTo("released");
                    awaitEnd(jvm, tid);
                }
            });
            assertThat(result.status()).as(result.toString()).isEqualTo(WalkStatus.DONE);
            assertThat(result.outcome()).isEqualTo(WalkOutcome.COMPLETE);
            assertThat(seen.methods()).contains(HOLD).endsWith("java.lang.Thread.run");
            seen.clear();
            assertThat(SeenFrames.walk(walks, WalkRequest.of(tid), seen).status())
                    .isEqualTo(WalkStatus.THREAD_GONE);
            assertThat(seen.frames).isEmpty();
        }
    }

    /** A listed thread may end before its walk, during its stop, or before the rest of its stack is read. */
    @Requirement("T-04")
    @ParameterizedTest
    @MethodSource("jdks")
    void walksOfThreadsThatEndAtAnyTimeAreCompleteOrReturnThreadGone(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start();
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            jvm.ask("churn");
            int complete = 0;
            int gone = 0;
            Deadline deadline = Deadline.in(LIMIT);
            while (complete < Scale.count(50, 1000) || gone < Scale.count(20, 1000)) {
                deadline.check("%d complete and %d gone", complete, gone);
                for (TargetThread thread : walks.threads()) {
                    if (thread.name().equals("short")) {
                        SeenFrames seen = new SeenFrames();
                        ThreadWalk result = SeenFrames.walk(walks, WalkRequest.of(thread.tid()), seen);
                        boolean isGone = result.status() == WalkStatus.THREAD_GONE
                                || result.outcome() == WalkOutcome.THREAD_GONE;
                        gone += isGone ? 1 : 0;
                        complete += result.outcome() == WalkOutcome.COMPLETE ? 1 : 0;
                    }
                }
            }
            assertThat(jvm.ask("rest")).isEqualTo("resting");
        }
    }

    /** The walk inside runs on another thread, while the walked thread waits in the notification of its end. */
    @Requirement("T-04")
    @ParameterizedTest
    @MethodSource("hosts")
    void walkInsideOfAThreadInItsEndCallbackSucceeds(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.by(Attached.request(
                    jvm,
                    ProfilerJars.jar(
                            folder.resolve("walks.jar"),
                            ProfilerJars.manifest(
                                    StackWalkProfiler.class.getName(), "1", "STACK_SNAPSHOTS, CLASS_LOADS, THREADS")),
                    ""));
            assertThat(profiler.ask("hold-end holder")).isEqualTo("OK");
            jvm.ask("take");
            jvm.ask("release");
            Deadline deadline = Deadline.in(LIMIT);
            while (!profiler.ask("held").equals("holder")) {
                deadline.check("the thread does not end");
            }
            for (int i = 0; i < Scale.count(20, 1000); i++) {
                assertThat(profiler.ask("stack-held")).endsWith("OK").doesNotContain("mayfly.host", "mayfly.profilers");
            }
            assertThat(profiler.ask("let-go")).isEqualTo("OK");
            while (!profiler.ask("stack-held").endsWith("THREAD_GONE")) {
                deadline.check("the thread does not end");
            }
            profiler.detach();
        }
    }

    /**
     * The first thread of a child process may not be stopped, because the JDK would mistake the stop for its end. It
     * can be copied only while it is blocked, and here it runs Java code without an end.
     */
    @Requirement("S-13")
    @ParameterizedTest
    @MethodSource("jdks")
    void walkOfARunningThreadThatMayNotBeStoppedIsUnsafe(Jdk jdk) throws Exception {
        try (Jvm jvm = JvmPair.plan(
                        "WorkOnRequest", "launcher", List.of(jdk), jdk.libjvm().toString())
                .start()) {
            jvm.send("load");
            jvm.awaitReady(LIMIT);
            jvm.send("create");
            jvm.awaitReady(LIMIT);
            try (ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
                assertThat(walkOnce(walks, jvm).methods()).contains("mayfly.targets.WorkOnRequest.main");
                jvm.send("work 3600000");
                Deadline deadline = Deadline.in(LIMIT);
                int unsafe = 0;
                while (unsafe < Scale.count(20, 1000)) {
                    deadline.check("%d walks are unsafe", unsafe);
                    SeenFrames seen = new SeenFrames();
                    ThreadWalk result =
                            walks.walk(WalkRequest.of((int) jvm.pid()), (report, data) -> data.take(report), seen);
                    if (result.status() == WalkStatus.STACK_SNAPSHOT_UNSAFE) {
                        unsafe++;
                        assertThat(result.reason()).isNotEmpty();
                        assertThat(result.stopNanos()).isZero();
                        assertThat(seen.frames).isEmpty();
                    }
                }
            }
            assertThat(jvm.isAlive()).isTrue();
        }
    }

    private static SeenFrames walkOnce(ThreadWalks walks, Jvm jvm) throws Refused {
        SeenFrames seen = new SeenFrames();
        ThreadWalk result = SeenFrames.walk(walks, WalkRequest.of((int) jvm.pid()), seen);
        assertThat(result.status()).as(result.toString()).isEqualTo(WalkStatus.DONE);
        return seen;
    }
}
