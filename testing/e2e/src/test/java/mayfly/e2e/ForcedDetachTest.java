package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.DetachMode;
import mayfly.attach.client.DetachOutcome;
import mayfly.attach.client.DetachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.profilers.testing.UncooperativeProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A profiler that ignores a detach request, or that has left a thread behind. */
class ForcedDetachTest {
    private static final Duration SHORT = Duration.ofSeconds(2);

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    static List<Jdk> jdksWithVirtualThreads() {
        return AttachTest.hosts().stream().filter(jdk -> jdk.feature() >= 21).toList();
    }

    private Attached attach(Jvm jvm, String manner) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("stubborn.jar"), ProfilerJars.manifest(UncooperativeProfiler.class.getName(), "1", ""));
        return Attached.by(Attached.request(jvm, jar, manner));
    }

    private static int pid(Jvm jvm) {
        return Math.toIntExact(jvm.pid());
    }

    private static HostStatus awaitPinned(Jvm jvm) throws Exception {
        Deadline deadline = Deadline.in(Attached.LIMIT);
        HostStatus status = ProfilerClient.status(pid(jvm)).orElseThrow();
        while (!status.state().equals("pinned")) {
            deadline.check("still %s", status);
            status = ProfilerClient.status(pid(jvm)).orElseThrow();
        }
        return status;
    }

    private static void awaitOverdue(Jvm jvm) throws Exception {
        Deadline deadline = Deadline.in(Attached.LIMIT);
        while (!ProfilerClient.status(pid(jvm)).orElseThrow().overdue()) {
            deadline.check("the state was not reached");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aProfilerThatIgnoresTheRequestIsDetachedByForce(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            attach(jvm, "ignore");
            AttachFailed late = Attached.failure(() -> ProfilerClient.detach(pid(jvm), "go", SHORT));
            assertThat(late.status()).isEqualTo(Status.TIMEOUT);
            assertThat(late).hasMessageContaining("`mayfly detach --force` does not ask it");
            Command forced = LaunchedMayfly.runUnder(
                    List.of("env", "XDG_STATE_HOME=" + folder),
                    Attached.LIMIT,
                    folder,
                    "detach",
                    "--force",
                    Long.toString(jvm.pid()));
            assertThat(forced.exitCode()).as(forced.evidence()).isZero();
            assertThat(forced.stderr()).contains("detached from process ");
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aProfilerThatThrowsAtTheRequestIsDetachedByForce(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            attach(jvm, "throw");
            assertThat(Attached.failure(() -> ProfilerClient.detach(pid(jvm), "go", Attached.LIMIT)))
                    .hasMessageContaining("thrown as requested");
            assertThat(ProfilerClient.detach(new DetachRequest(
                                    pid(jvm),
                                    DetachMode.FORCE,
                                    DetachRequest.Collections.IF_SHORT,
                                    "go",
                                    Attached.LIMIT))
                            .remainingClasses())
                    .isFalse();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    /** No further callback begins, and the detach continues once the running callback has returned. */
    @ParameterizedTest
    @MethodSource("jdks")
    void forcedDetachWaitsForARunningCallback(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            attach(jvm, "loop");
            assertThat(Attached.statusOf(() -> ProfilerClient.detach(pid(jvm), "go", SHORT)))
                    .isEqualTo(Status.TIMEOUT);
            AttachFailed late = Attached.failure(() -> ProfilerClient.detach(
                    new DetachRequest(pid(jvm), DetachMode.FORCE, DetachRequest.Collections.IF_SHORT, "go", SHORT)));
            assertThat(late.status()).isEqualTo(Status.TIMEOUT);
            assertThat(late).hasMessageContaining("its callback detachRequested is running on thread ");
            assertThat(ProfilerClient.status(pid(jvm)).orElseThrow().state()).isEqualTo("detaching");
            awaitOverdue(jvm);
            assertThat(Attached.statusOf(() -> ProfilerClient.detach(new DetachRequest(
                            pid(jvm),
                            DetachMode.FORCE,
                            DetachRequest.Collections.IF_SHORT,
                            "again",
                            Duration.ofMillis(100)))))
                    .isEqualTo(Status.TIMEOUT);
            assertThat(ProfilerClient.status(pid(jvm)).orElseThrow().overdue())
                    .as("another request does not restart the time")
                    .isTrue();
            assertThat(jvm.ask("release")).isEqualTo("released");
            HostTrace.collectUntilNone(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void commandReachesAPinnedProfilerAndEndsItsThread(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = attach(jvm, "");
            assertThat(profiler.ask("thread")).isEqualTo("started");
            assertThat(Attached.statusOf(() -> ProfilerClient.detach(pid(jvm), "go", SHORT)))
                    .isEqualTo(Status.TIMEOUT);
            assertThat(awaitPinned(jvm).pinnedBy())
                    .startsWith("thread \"forgotten\" in mayfly.profilers.testing.UncooperativeProfiler.await");
            assertThat(profiler.ask("call")).isEqualTo("PROFILER_DETACHING");
            assertThat(Attached.statusOf(() -> ProfilerClient.requestDetach(new DetachRequest(
                            pid(jvm), DetachMode.FORCE, DetachRequest.Collections.IF_SHORT, "go", SHORT))))
                    .isEqualTo(Status.PROFILER_DETACHING);
            FutureTask<DetachOutcome> again =
                    new FutureTask<>(() -> ProfilerClient.detach(pid(jvm), "go", Attached.LIMIT));
            Thread waiting = Thread.ofPlatform().start(again);
            while (waiting.isAlive()
                    && Arrays.stream(waiting.getStackTrace())
                            .noneMatch(f -> f.getMethodName().equals("awaitNoHost"))) {
                Thread.onSpinWait();
            }
            assertThat(profiler.ask("end")).isEqualTo("ended");
            assertThat(again.get().collections()).as("another request began it").isEqualTo(DetachOutcome.NOT_KNOWN);
            HostTrace.awaitNone(jvm);
        }
    }

    /** The heap walk of this test uses JVMTI, which the user who attached the profiler accepted. */
    @ParameterizedTest
    @MethodSource("jdksWithVirtualThreads")
    void remainingVirtualThreadIsNamedAndEndedByACommand(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = attach(jvm, "");
            assertThat(profiler.ask("virtual")).isEqualTo("started");
            assertThat(Attached.statusOf(() -> ProfilerClient.detach(pid(jvm), "go", SHORT)))
                    .isEqualTo(Status.TIMEOUT);
            awaitPinned(jvm);
            /* A short walk over the heap does not always find the retainer, so this request permits a long one. */
            ProfilerClient.requestDetach(new DetachRequest(
                    pid(jvm), DetachMode.ASK, DetachRequest.Collections.ALWAYS, "look", Attached.LIMIT));
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!awaitPinned(jvm).pinnedBy().contains("virtual thread")) {
                deadline.check(awaitPinned(jvm).pinnedBy());
            }
            assertThat(profiler.ask("end")).isEqualTo("ended");
            HostTrace.collectUntilNone(jvm);
        }
    }
}
