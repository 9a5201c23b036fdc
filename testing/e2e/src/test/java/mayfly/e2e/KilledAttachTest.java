package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Either side, the attach command or the target, is killed at any instant of an attach or a detach: the other side
 * recovers.
 */
class KilledAttachTest {
    /** The latest kill, after the end of the command; the earliest precedes its first instruction. */
    private static final int LATEST_MILLIS = 1_000;
    /** In the test's own process an attach takes at most this long, unless the machine is busy. */
    private static final int LATEST_MICROS = 150_000;
    /** A limit that is shorter than the default time-out of 30 s. */
    private static final Duration PROMPT = Duration.ofSeconds(10);

    private final long seed = Long.getLong("mayfly.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    /** Covers kill -9, which leaves the cleanup to other processes, and an ordinary signal. */
    @ParameterizedTest
    @ValueSource(strings = {"KILL", "TERM"})
    @Requirement({"A-07", "A-15"})
    void killedAttachLeavesAWorkingProfilerOrNothing(String signal) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "CLASS_LOADS");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").start()) {
            int pid = Math.toIntExact(jvm.pid());
            jvm.ask("churn");
            for (int i = 0; i < Scale.count(6, 300); i++) {
                int millis = random.nextInt(LATEST_MILLIS);
                String what = "number " + i + " after " + millis + " ms, -Dmayfly.seed=" + seed;
                try (LaunchedMayfly mayfly = LaunchedMayfly.startUnder(
                        List.of("env", "XDG_STATE_HOME=" + folder),
                        "attach",
                        Integer.toString(pid),
                        "--profiler",
                        jar.toString(),
                        "--data",
                        "CLASS_LOADS",
                        "--timeout",
                        "2s",
                        "--accept-lasting-cost")) {
                    mayfly.process().waitFor(Duration.ofMillis(millis));
                    new ProcessBuilder(
                                    "kill",
                                    "-" + signal,
                                    Long.toString(mayfly.process().pid()))
                            .start()
                            .waitFor();
                    mayfly.process().waitFor();
                }
                if (isActiveInTheEnd(pid, what)) {
                    ProfilerClient.detach(pid, "killed", Attached.LIMIT);
                }
                HostTrace.awaitNone(jvm);
                long work = Long.parseLong(jvm.ask("work"));
                while (Long.parseLong(jvm.ask("work")) == work) {
                    assertThat(jvm.isAlive()).as(what).isTrue();
                }
                assertThat(jvm.stdout()).as(what).doesNotContain("Full thread dump");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "TERM"})
    @Requirement("A-15")
    void leasedProfilerIsDetachedAtTheEndOfItsCommand(String signal) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").start()) {
            String pid = Long.toString(jvm.pid());
            try (LaunchedMayfly mayfly = LaunchedMayfly.startUnder(
                    List.of("env", "XDG_STATE_HOME=" + folder),
                    "attach",
                    pid,
                    "--profiler",
                    jar.toString(),
                    "--data",
                    "",
                    "--follow",
                    "--lease")) {
                mayfly.awaitStderr("for as long as this command runs", Attached.LIMIT);
                assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))
                                .orElseThrow()
                                .state())
                        .isEqualTo("active");
                new ProcessBuilder(
                                "kill",
                                "-" + signal,
                                Long.toString(mayfly.process().pid()))
                        .start()
                        .waitFor();
            }
            HostTrace.awaitNone(jvm);
        }
    }

    /** Waits while the profiler is neither active nor gone. */
    private static boolean isActiveInTheEnd(int pid, String what) throws AttachFailed {
        Deadline deadline = Deadline.in(Attached.LIMIT);
        while (true) {
            Optional<HostStatus> status = status(pid);
            if (status.isEmpty() || status.get().state().equals("active")) {
                return status.isPresent();
            }
            deadline.check("%s: still %s", what, status);
        }
    }

    /** A record in creation is reported as an error. */
    private static Optional<HostStatus> status(int pid) throws AttachFailed {
        try {
            return ProfilerClient.status(pid);
        } catch (AttachFailed e) {
            if (String.valueOf(e.getMessage()).contains("is being created")) {
                return status(pid);
            }
            throw e;
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-04")
    void killedTargetEndsTheAttachWithAMessage(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        for (int i = 0; i < Scale.count(4, 100); i++) {
            try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
                assertEndsPromptly(jvm, () -> ProfilerClient.attach(Attached.request(jvm, jar, "")));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-27")
    void killedTargetEndsTheDetachWithAMessage(Jdk jdk) throws Exception {
        for (int i = 0; i < Scale.count(3, 100); i++) {
            try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
                Attached profiler = Attached.to(jvm, folder, "");
                assertEndsPromptly(jvm, profiler::detach);
            }
        }
    }

    private void assertEndsPromptly(Jvm jvm, Attached.Attempt attempt) throws Exception {
        int micros = random.nextInt(LATEST_MICROS);
        String what = "killed after " + micros + " us, -Dmayfly.seed=" + seed;
        Thread killer = Thread.ofPlatform().start(() -> {
            long until = System.nanoTime() + micros * 1000L;
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            jvm.close();
        });
        long began = System.nanoTime();
        try {
            attempt.run();
        } catch (AttachFailed e) {
            assertSaysThatItEnded(e, what);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).as(what).isLessThan(PROMPT);
        killer.join();
        awaitNoFiles(jvm, what);
    }

    private static void assertSaysThatItEnded(AttachFailed failed, String what) {
        assertThat(failed.status()).as(what + ": " + failed).isIn(Status.FAILED, Status.RUNTIME_NOT_LOADED);
        assertThat(failed).as(what).hasMessageFindingMatch("has ended|has exited|no process");
    }

    /** The cleanup process removes the files that the command left, within seconds. */
    private static void awaitNoFiles(Jvm jvm, String what) throws Exception {
        Deadline deadline = Deadline.in(Attached.LIMIT);
        while (!files(jvm.pid()).isEmpty()) {
            deadline.check("%s: still there: %s", what, files(jvm.pid()));
        }
    }

    private static List<String> files(long pid) throws IOException {
        return HostTrace.files(Path.of("/tmp"), Long.toString(pid), Instant.EPOCH);
    }

    /** The socket has a name for some microseconds. */
    @ParameterizedTest
    @MethodSource("jdks")
    void targetThatIsKilledWhileItsSocketHasANameLeavesNoFile(Jdk jdk) throws Exception {
        Path library = CSource.build("dies_in_unlink", "-shared", "-fPIC");
        Path jar = ProfilerJars.scripted(folder, "");
        try (Jvm jvm = Jvm.run("Idle")
                .on(jdk)
                .environment("LD_PRELOAD", library.toString())
                .start()) {
            AttachFailed failed = Attached.failure(() -> ProfilerClient.attach(Attached.request(jvm, jar, "")));
            assertSaysThatItEnded(failed, "killed in unlink");
            awaitNoFiles(jvm, "killed in unlink");
        }
    }
}
