package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code mayfly run} records a program up to its last sample, and the program behaves as it would without Mayfly. */
class RunToTheEndTest {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    /** More than a drain interval: the samples of this time are walked after the end of the program. */
    private static final long LAST_NANOS = 300_000_000;
    /** The interval between drains of a recording that cannot hold the memory, and one sampling period. */
    private static final double LAST_DRAIN_MILLIS = 21;

    private static final int RUNS = 8;

    @TempDir
    private Path folder;

    private Path capture;

    @BeforeEach
    void needsPrivileges() throws IOException {
        capture = folder.resolve("ends.mayfly");
        assumeTrue(
                Files.readString(Path.of("/proc/self/status")).contains("Uid:\t0\t"), "only root may keep the memory");
    }

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private static List<String> ends(Jdk jdk, String... arguments) {
        List<String> command = new ArrayList<>(Jvm.run("CpuThenExit").on(jdk).command());
        command.addAll(List.of(arguments));
        return command;
    }

    private String[] run(List<String> command) {
        List<String> line = new ArrayList<>(List.of("run", "-q", "-F", "999", "-o", capture.toString(), "--"));
        line.addAll(command);
        return line.toArray(String[]::new);
    }

    private Command record(List<String> command) {
        return LaunchedMayfly.run(LIMIT, folder, run(command));
    }

    /** Returns the outcomes of the last samples, those that the end of the program could have broken. */
    private Map<WalkOutcome, Integer> lastOutcomes() throws Exception {
        Profile profile = CaptureReader.read(capture);
        long last = 0;
        for (int i = 0; i < profile.sampleCount(); i++) {
            last = Math.max(last, profile.nanosOf(i));
        }
        Map<WalkOutcome, Integer> outcomes = new TreeMap<>();
        for (int i = 0; i < profile.sampleCount(); i++) {
            if (profile.nanosOf(i) > last - LAST_NANOS) {
                outcomes.merge(profile.outcomeOf(i), 1, Integer::sum);
            }
        }
        return outcomes;
    }

    private void assertNothingIsLost() throws Exception {
        Map<WalkOutcome, Integer> outcomes = lastOutcomes();
        assertThat(outcomes)
                .containsKey(WalkOutcome.COMPLETE)
                .doesNotContainKeys(WalkOutcome.TARGET_ENDED, WalkOutcome.STALE_CODE, WalkOutcome.STACK_UNREADABLE);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void programWhoseMainReturnsIsRecordedToItsEnd(Jdk jdk) throws Exception {
        Command done = record(ends(jdk, "return", "500"));
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        assertNothingIsLost();
    }

    @ParameterizedTest
    @CsvSource({"exit,7", "throw,1", "TERM,143", "KILL,137"})
    void programThatEndsAnyWayIsRecordedToItsEnd(String how, int status) throws Exception {
        Command done = record(ends(Jdk.current(), how, "500"));
        assertThat(done.exitCode()).as(done.evidence()).isEqualTo(status);
        assertNothingIsLost();
    }

    /** A shell executes the JVM, so the held memory is not that of the program that was started. */
    @Test
    void shellThatExecsAJvmIsRecordedToItsEnd() throws Exception {
        List<String> line = new ArrayList<>(List.of("sh", "-c", "exec \"$@\"", "sh"));
        line.addAll(ends(Jdk.current(), "return", "1000"));
        Command done = record(line);
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        assertNothingIsLost();
    }

    /** The last samples of the shell are walked after it has executed the JVM: its code is unmapped. */
    @Test
    void lateSamplesOfAShellThatExecedAJvmAreNotUnknownCode() throws Exception {
        Path script = Files.writeString(
                folder.resolve("start.sh"),
                "#!/bin/sh\ni=0; while [ $i -lt 20000 ]; do i=$((i+1)); done\nexec \"$@\"\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        for (int run = 0; run < 5; run++) {
            List<String> line = new ArrayList<>(
                    List.of("run", "-q", "-F", "4999", "-o", capture.toString(), "--", script.toString()));
            line.addAll(ends(Jdk.current(), "return", "1"));
            Command done = LaunchedMayfly.run(LIMIT, folder, line.toArray(String[]::new));
            assertThat(done.exitCode()).as(done.evidence()).isZero();
            Profile profile = CaptureReader.read(capture);
            assertThat(profile.ledger().count(WalkOutcome.COMPLETE)).isPositive();
            assertThat(profile.ledger().count(WalkOutcome.UNKNOWN_CODE))
                    .as("%s", profile.ledger())
                    .isZero();
            Files.delete(capture);
        }
    }

    @Test
    void runOfAProgramThatForksAJvmPrintsANote() throws Exception {
        for (String script : List.of("exec \"$@\"", "\"$@\"; exit $?")) {
            List<String> line =
                    new ArrayList<>(List.of("run", "-o", capture.toString(), "--", "sh", "-c", script, "sh"));
            line.addAll(ends(Jdk.current(), "return", "100"));
            Command done = LaunchedMayfly.run(LIMIT, folder, line.toArray(String[]::new));
            assertThat(done.exitCode()).as(done.evidence()).isZero();
            assertThat(done.stderr().contains("Note: the program ran no JVM itself"))
                    .as(done.evidence())
                    .isEqualTo(!script.startsWith("exec"));
            Files.delete(capture);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gdb", "strace"})
    void debuggerAttachesToTheRecordedProgram(String debugger) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/" + debugger)), "no " + debugger + " here");
        try (LaunchedMayfly mayfly = LaunchedMayfly.start(run(ends(Jdk.current(), "return", "500", "line")))) {
            mayfly.awaitStdout("READY ends ", LIMIT);
            String pid = mayfly.stdout().replaceFirst("(?s).*READY ends (\\d+).*", "$1");
            assertThat(Files.readString(Path.of("/proc", pid, "status"))).contains("TracerPid:\t0\n");
            Command attached = debugger.equals("gdb")
                    ? Command.run(LIMIT, "gdb", "-batch", "-nx", "-p", pid, "-ex", "detach")
                    : Command.run(LIMIT, "timeout", "-s", "INT", "1", "strace", "-f", "-p", pid);
            assertThat(attached.stdout() + attached.stderr())
                    .contains(debugger.equals("gdb") ? "detached" : " attached");
            mayfly.process().getOutputStream().write('\n');
            mayfly.process().getOutputStream().flush();
            assertThat(mayfly.process().waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(mayfly.process().exitValue()).as(mayfly.stderr()).isZero();
        }
        assertNothingIsLost();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void stackOfTheRecordedProgramIsPrintedDuringItsRecording(Jdk jdk) throws Exception {
        try (LaunchedMayfly mayfly = LaunchedMayfly.start(run(ends(jdk, "return", "500", "line")))) {
            mayfly.awaitStdout("READY ends ", LIMIT);
            String pid = mayfly.stdout().replaceFirst("(?s).*READY ends (\\d+).*", "$1");
            Command stack = CommandLine.run("stack", pid);
            assertThat(stack.exitCode()).as(stack.evidence()).isZero();
            assertThat(stack.stdout()).contains("mayfly.targets.CpuThenExit.main(CpuThenExit.java:");
            mayfly.process().getOutputStream().write('\n');
            mayfly.process().getOutputStream().flush();
            assertThat(mayfly.process().waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(mayfly.process().exitValue()).as(mayfly.stderr()).isZero();
        }
        assertNothingIsLost();
    }

    /** The memory is not held: samples since the last drain of the rings are counted as lost with the target. */
    @ParameterizedTest
    @ValueSource(strings = {"return", "KILL"})
    void unprivilegedRunCountsLastSamplesAsTargetEnded(String how) throws Exception {
        List<String> asNobody = Privileges.asNobody();
        assumeTrue(Checks.setting("kernel/perf_event_paranoid") <= 2, "an ordinary user may not sample");
        Privileges.giveToNobody(folder);
        List<Double> lost = new ArrayList<>();
        // A busy machine delays a drain, but hardly the last drain of each of several programs.
        while (lost.stream().noneMatch(millis -> millis > 0 && millis <= LAST_DRAIN_MILLIS)) {
            assertThat(lost).as("milliseconds lost, in each run").hasSizeLessThan(RUNS);
            Command done = LaunchedMayfly.runUnder(asNobody, LIMIT, folder, run(ends(Jdk.current(), how, "1000")));
            assertThat(done.exitCode()).as(done.evidence()).isEqualTo(how.equals("KILL") ? 137 : 0);
            assertThat(lastOutcomes())
                    .as(done.evidence())
                    .containsKey(WalkOutcome.COMPLETE)
                    .doesNotContainKeys(WalkOutcome.STALE_CODE);
            lost.add(lostMillis());
        }
    }

    /** Returns the time from the first sample that was lost with the target to the last sample of all; 0 for none. */
    private double lostMillis() throws Exception {
        Profile profile = CaptureReader.read(capture);
        long first = Long.MAX_VALUE;
        long last = 0;
        for (int i = 0; i < profile.sampleCount(); i++) {
            last = Math.max(last, profile.nanosOf(i));
            first = profile.outcomeOf(i) == WalkOutcome.TARGET_ENDED ? Math.min(first, profile.nanosOf(i)) : first;
        }
        return Math.max(0, last - first) / 1e6;
    }

    /** The second JVM starts after the first has been found: its frames belong to it, and are named. */
    @Test
    void secondJvmOfAProcessIsFoundDuringTheRecording() throws Exception {
        List<Jdk> both = Scale.usual();
        assumeTrue(both.size() == 2, "needs JDK 17 and 25");
        List<String> command = Jvm.run("Busy")
                .on(both.getLast())
                .under(
                        "env",
                        "GLIBC_TUNABLES=glibc.malloc.arena_max=2000",
                        CSource.program("sidebyside").toString(),
                        both.getFirst().libjvm().toString(),
                        "mayfly.targets.Busy",
                        both.getLast().libjvm().toString())
                .command();
        try (LaunchedMayfly mayfly = LaunchedMayfly.start(run(command))) {
            mayfly.awaitStdout("READY busy 1", LIMIT);
            mayfly.awaitStdout("READY busy 1", LIMIT);
            Command.run(LIMIT, "sleep", "3"); // the test asserts a share of the samples of this time
            // The program continues when its recording ends, and mayfly waits for it: the test ends the program.
            mayfly.process().descendants().forEach(ProcessHandle::destroy);
            mayfly.process().onExit().join();
        }
        Profile profile = CaptureReader.read(capture);
        long first = 0;
        long second = 0;
        for (int i = 0; i < profile.sampleCount(); i++) {
            for (Frame frame : profile.stack(i).frames()) {
                if (frame instanceof Frame.Managed managed
                        && managed.type().equals("mayfly.targets.Busy")
                        && managed.method().equals("loop")) {
                    first += managed.runtime().number() == 1 ? 1 : 0;
                    second += managed.runtime().number() == 2 ? 1 : 0;
                }
            }
        }
        assertThat(profile.recording().runtimes()).hasSize(2);
        assertThat(second)
                .as("samples of the second JVM; of the first " + first)
                .isGreaterThan(first / 4);
    }

    /**
     * If a user without CAP_SYS_PTRACE traced the execve, the program would not get its set-user-ID rights. With
     * vm.unprivileged_userfaultfd = 1, such a user may hold memory, but Mayfly then does not trace the execve.
     */
    @Test
    void setUidProgramOfAnOrdinaryUserGetsItsRights() throws Exception {
        List<String> asNobody = Privileges.asNobody();
        Privileges.giveToNobody(folder);
        Path id = folder.resolve("id");
        Files.copy(Path.of("/usr/bin/id"), id);
        assertThat(Command.run(LIMIT, "chmod", "4755", id.toString()).exitCode())
                .isZero();
        Command done = LaunchedMayfly.runUnder(asNobody, LIMIT, folder, run(List.of(id.toString(), "-un")));
        assertThat(done.stdout().strip()).as(done.evidence()).isEqualTo("root");
    }

    @Test
    void setUidProgramOfRootGetsItsRights() throws Exception {
        Path id = folder.resolve("id");
        Files.copy(Path.of("/usr/bin/id"), id);
        assertThat(Command.run(LIMIT, "chown", "65534", id.toString()).exitCode())
                .isZero();
        assertThat(Command.run(LIMIT, "chmod", "4755", id.toString()).exitCode())
                .isZero();
        Command done = record(List.of(id.toString(), "-un"));
        assertThat(done.stdout().strip()).as(done.evidence()).isEqualTo("nobody");
    }
}
