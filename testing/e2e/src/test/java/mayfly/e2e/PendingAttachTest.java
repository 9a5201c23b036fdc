package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Manifest;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.WaitingAgent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A JVM that handles the attach signal long after the attach command has reached its time-out. */
class PendingAttachTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final Path STRACE = Path.of("/usr/bin/strace");
    private static final int SIGQUIT = 3;
    /** The number of the system call on x86-64. */
    private static final int PIDFD_SEND_SIGNAL = 424;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private static Path marker(Jvm jvm) {
        return Path.of("/tmp/.attach_pid" + jvm.pid());
    }

    /**
     * The signal has been delivered, but the JVM's thread that handles it is suspended. Therefore /proc does not show
     * the signal as pending.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"G-04", "G-05", "A-09"})
    void attachToADebuggerSuspendedJvmTimesOutWithoutThreadDump(Jdk jdk) throws Exception {
        int port = Debugger.freePort();
        try (Jvm jvm = Jvm.run("Idle").on(jdk).with(Debugger.option(port)).start();
                Debugger session = Debugger.attach(port)) {
            session.suspend();
            Path jar = ProfilerJars.scripted(folder, "");
            AttachFailed first = Attached.failure(
                    () -> ProfilerClient.attach(Attached.request(jvm.pid(), jar, "", Duration.ofMillis(1500))));
            assertThat(first.status()).isEqualTo(Status.TIMEOUT);
            assertThat(first)
                    .hasMessageContaining("the JVM is busy, or suspended")
                    .hasMessageContaining(marker(jvm).toString());
            assertThat(marker(jvm)).exists();
            AttachFailed second = Attached.failure(
                    () -> ProfilerClient.attach(Attached.request(jvm.pid(), jar, "", Duration.ofMillis(500))));
            assertThat(second.status()).isEqualTo(Status.TIMEOUT);
            assertThat(second).as("it sent no second signal").hasMessageContaining("another process has asked");
            session.resume();
            HostTrace.awaitNone(jvm);
            Attached.to(jvm, folder, "").detach();
            assertThat(jvm.ask("still there?")).isEqualTo("still there?");
            assertThat(jvm.stdout()).doesNotContain("Full thread dump");
            assertThat(HostTrace.of(jvm)).isEmpty();
            session.quit();
        }
    }

    /** The listener runs the start of an agent that another tool has loaded. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-09", "A-10"})
    void attachToAJvmWhoseListenerIsBusyTimesOutAndSucceedsLater(Jdk jdk) throws Exception {
        Manifest manifest = ProfilerJars.manifest("none", "1", "");
        manifest.getMainAttributes().putValue("Agent-Class", WaitingAgent.class.getName());
        Path agent = ProfilerJars.jar(folder.resolve("agent.jar"), manifest);
        Path jar = ProfilerJars.scripted(folder, "");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Process tool = new ProcessBuilder(
                            Jdk.current().tool("jcmd").toString(),
                            Long.toString(jvm.pid()),
                            "JVMTI.agent_load",
                            agent.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Deadline deadline = Deadline.in(LIMIT);
            while (!jvm.evidence().contains("the agent waits")) {
                deadline.check("the agent was not started");
            }
            AttachFailed busy = Attached.failure(
                    () -> ProfilerClient.attach(Attached.request(jvm.pid(), jar, "", Duration.ofMillis(1500))));
            assertThat(busy.status()).isEqualTo(Status.TIMEOUT);
            assertThat(busy).hasMessageContaining("did not answer in time: it is busy, or suspended");
            assertThat(jvm.ask("release")).isNotEmpty();
            assertThat(tool.waitFor(LIMIT)).isTrue();
            HostTrace.awaitNone(jvm);
            Attached.to(jvm, folder, "").detach();
        }
    }

    /** The JVM is stopped after the command has checked it and before the command sends the signal. */
    @Test
    @Requirement({"G-04", "A-06"})
    void jvmStoppedDuringAnAttachHandlesItsSignalWhenResumed() throws Exception {
        try (Jvm jvm = Jvm.run("Idle").start();
                LaunchedMayfly mayfly = attachSlowly(jvm)) {
            awaitMarker(jvm);
            awaitSending(mayfly);
            Signals.stop(jvm);
            mayfly.awaitStderr("[timeout]", LIMIT);
            assertThat(pending(jvm)).as("signals that wait for it").isEqualTo(1L << (SIGQUIT - 1));
            assertThat(marker(jvm)).exists();
            Signals.resume(jvm);
            HostTrace.awaitNone(jvm);
            assertThat(jvm.ask("still there?")).isEqualTo("still there?");
            assertThat(jvm.stdout()).doesNotContain("Full thread dump");
            // strace ends with the last process that it follows, which is the one that removed the marker.
            assertThat(mayfly.process().waitFor(LIMIT)).isTrue();
            assertThat(mayfly.process().exitValue()).as(mayfly.stderr()).isEqualTo(10 + Status.TIMEOUT.number());
        }
    }

    @Test
    @Requirement("G-04")
    void attachKilledBeforeItsSignalLeavesNoMarker() throws Exception {
        try (Jvm jvm = Jvm.run("Idle").start();
                LaunchedMayfly mayfly = attachSlowly(jvm)) {
            awaitMarker(jvm);
            mayfly.process().descendants().filter(PendingAttachTest::isJava).forEach(ProcessHandle::destroyForcibly);
            HostTrace.awaitNone(jvm);
            assertThat(jvm.ask("still there?")).isEqualTo("still there?");
            assertThat(jvm.stdout()).doesNotContain("Full thread dump");
            Attached.to(jvm, folder, "").detach();
        }
    }

    /** Waits until the command has checked the target for the last time and is held before it sends the signal. */
    private static void awaitSending(LaunchedMayfly mayfly) throws Exception {
        Deadline deadline = Deadline.in(LIMIT);
        while (mayfly.process()
                .descendants()
                .filter(PendingAttachTest::isJava)
                .noneMatch(PendingAttachTest::isSending)) {
            deadline.check("strace does not delay the command");
        }
    }

    private static boolean isSending(ProcessHandle process) {
        File[] threads = new File("/proc/" + process.pid() + "/task").listFiles();
        return threads != null
                && Arrays.stream(threads).anyMatch(thread -> {
                    try {
                        return Files.readString(thread.toPath().resolve("syscall"))
                                .startsWith(PIDFD_SEND_SIGNAL + " ");
                    } catch (IOException e) {
                        return false; // it has gone
                    }
                });
    }

    private static boolean isJava(ProcessHandle process) {
        return process.info().command().filter(name -> name.endsWith("/java")).isPresent();
    }

    /** Starts an attach with two seconds between the marker and the signal, by strace. */
    private LaunchedMayfly attachSlowly(Jvm jvm) throws IOException {
        assumeTrue(Files.isExecutable(STRACE), "needs strace");
        List<String> slowly = List.of(
                "env",
                "XDG_STATE_HOME=" + folder,
                STRACE.toString(),
                "-f",
                "-qq",
                "-o",
                "/dev/null",
                "-e",
                "trace=pidfd_send_signal",
                "-e",
                "inject=pidfd_send_signal:delay_enter=2s");
        return LaunchedMayfly.startUnder(
                slowly,
                "attach",
                Long.toString(jvm.pid()),
                "--profiler",
                ProfilerJars.scripted(folder, "").toString(),
                "--timeout",
                "6s");
    }

    /**
     * The JVM ends without having handled the signal. The cleanup process, which waits to remove the file, detects this
     * too.
     */
    @Test
    void jvmThatEndsDuringAPendingAttachLeavesNothing() throws Exception {
        int port = Debugger.freePort();
        Jvm jvm = Jvm.run("Idle").with(Debugger.option(port)).start();
        try (jvm;
                Debugger session = Debugger.attach(port)) {
            session.suspend();
            Path jar = ProfilerJars.scripted(folder, "");
            AttachFailed failed = Attached.failure(
                    () -> ProfilerClient.attach(Attached.request(jvm.pid(), jar, "", Duration.ofMillis(1500))));
            assertThat(failed.status()).isEqualTo(Status.TIMEOUT);
            assertThat(marker(jvm)).exists();
        }
        Deadline deadline = Deadline.in(LIMIT);
        while (Files.exists(marker(jvm))
                || !HostTrace.cleanupProcesses(jvm.pid()).isEmpty()) {
            deadline.check("%s or its cleanup process is still there", marker(jvm));
        }
    }

    private static void awaitMarker(Jvm jvm) {
        Deadline deadline = Deadline.in(LIMIT);
        while (!Files.exists(marker(jvm))) {
            deadline.check("no marker");
        }
    }

    /** Returns the signals pending for the whole process, see proc_pid_status(5). */
    private static long pending(Jvm jvm) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + jvm.pid() + "/status")).stream()
                .filter(line -> line.startsWith("ShdPnd:"))
                .map(line -> line.replaceFirst(".*\\s", ""))
                .mapToLong(hex -> Long.parseUnsignedLong(hex, 16))
                .findFirst()
                .orElseThrow();
    }
}
