package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.kit.Requirement;
import mayfly.kit.ThreadPrint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code mayfly stack} on JVMs in any condition. */
class StackTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(90));
    private static final String UNMOUNTED = "\nUnmounted virtual threads are not shown; --virtual shows them.\n";
    private static final Pattern HEAD = Pattern.compile("(?m)^\"(.*)\" .*\\btid=(\\d+) ");

    @TempDir
    private Path folder;
    /** The folder for jcmd's files when the JVM does not answer. */
    @TempDir
    private Path targetFolder;

    static List<Jdk> everyJdk() {
        return Scale.jdks();
    }

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    private Command stack(String... arguments) {
        return CommandLine.run(
                Stream.concat(Stream.of("stack"), Stream.of(arguments)).toArray(String[]::new));
    }

    private String printed(Jvm jvm, String... arguments) throws IOException {
        Command done = stack(Stream.concat(Stream.of(arguments), Stream.of(Long.toString(jvm.pid())))
                .toArray(String[]::new));
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        assertThat(done.stderr()).as(done.evidence()).isEmpty();
        assertThat(Checks.files(folder)).isEmpty();
        return done.stdout();
    }

    /** Returns the lines of one thread, including its header. */
    static List<String> thread(String dump, String kernelName) {
        return Stream.of(dump.split("\n\n"))
                .filter(part -> part.startsWith("\"" + kernelName + "\""))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no thread " + kernelName + " in\n" + dump))
                .lines()
                .toList();
    }

    private static List<Integer> tids(Jvm jvm) throws IOException {
        return Checks.files(Path.of("/proc/" + jvm.pid() + "/task")).stream()
                .map(task -> Integer.parseInt(task.getFileName().toString()))
                .sorted()
                .toList();
    }

    static void assertNoThreadIsHeld(Jvm jvm) throws IOException {
        for (int tid : tids(jvm)) {
            assertThat(Files.readString(Path.of("/proc/" + jvm.pid() + "/task/" + tid + "/status")))
                    .contains("TracerPid:\t0")
                    .doesNotContain("State:\tt");
        }
    }

    @ParameterizedTest
    @MethodSource("everyJdk")
    void stackPrintsEveryThreadWithNativeVmAndJavaFrames(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start()) {
            String dump = printed(jvm);
            List<Integer> shown = HEAD.matcher(dump)
                    .results()
                    .map(head -> Integer.parseInt(head.group(2)))
                    .sorted()
                    .toList();
            assertThat(shown)
                    .as(dump)
                    .containsAll(ThreadPrint.of(jvm).threads().stream()
                            .filter(thread -> !thread.name().equals("Attach Listener"))
                            .map(ThreadPrint.PrintedThread::tid)
                            .toList());
            assertThat(dump.lines().findFirst().orElseThrow())
                    .contains("process " + jvm.pid() + ", mayfly.targets.Blocked", "HotSpot " + jdk.feature());
            assertThat(dump).doesNotContain("[broken:");
            assertThat(thread(dump, "kind-park"))
                    .anyMatch(line -> line.startsWith("\tat libc.so.6!"))
                    .contains("\tat libjvm.so!Unsafe_Park (VM)", "\tat jdk.internal.misc.Unsafe.park(Native Method)")
                    .anyMatch(line -> line.matches("\\tat mayfly\\.targets\\.Blocked\\.run\\(Blocked\\.java:\\d+\\)"))
                    .first()
                    .asString()
                    .matches("\"kind-park\" .*tid=\\d+ cpu=\\d+\\.\\d\\dms elapsed=\\d+\\.\\d\\ds .*");
            List<String> firstHalf = HEAD.matcher(dump)
                    .results()
                    .limit(shown.size() / 2)
                    .map(MatchResult::group)
                    .toList();
            assertThat(firstHalf).as("Java threads first").noneMatch(head -> head.startsWith("\"VM Thread"));
            assertNoThreadIsHeld(jvm);
        }
    }

    /**
     * The thread waits in accept(2), so it is copied without a stop: only its stack pointer and program counter are
     * known.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    void attachListenerInAcceptIsWalkedToItsRoot(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start()) {
            ThreadPrint.of(jvm);
            for (String[] how : new String[][] {{}, {"--together"}}) {
                String dump = printed(jvm, how);
                assertThat(String.join("\n", thread(dump, "Attach Listener")))
                        .contains("AttachListener::dequeue")
                        .doesNotContain("[broken:");
                assertThat(dump).doesNotContain("[broken:");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void oneThreadIsSelectedByNameOrIdWithHoles(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start()) {
            String named = printed(jvm, "--holes", "-t", "kind-park");
            List<String> lines = thread(named, "kind-park");
            assertThat(HEAD.matcher(named).results()).hasSize(1);
            assertThat(lines.get(1)).matches("\t\\.\\.\\. \\d+ native frames");
            assertThat(lines.getLast()).matches("\t\\.\\.\\. \\d+ native frames");
            assertThat(lines.subList(2, lines.size() - 1))
                    .isNotEmpty()
                    .allMatch(line -> line.matches("\tat .*\\(.*\\)"))
                    .noneMatch(line -> line.contains("!"));
            String tid = HEAD.matcher(named)
                    .results()
                    .map(head -> head.group(2))
                    .findFirst()
                    .orElseThrow();
            String byId = printed(jvm, "--holes", "-t", tid);
            assertThat(thread(byId, "kind-park").subList(1, lines.size())).isEqualTo(lines.subList(1, lines.size()));
            Command none = stack("-t", "no-such-thread", Long.toString(jvm.pid()));
            Checks.refused(none, 3, "no-such-thread", folder);
            // The message lists the first threads of the VM's own list: the oldest, or the youngest if that list is
            // linked.
            assertThat(none.stderr()).containsAnyOf("Signal Dispatch", "kind-");
        }
    }

    /**
     * One thread is in compiled code without a safepoint, and another waits for a safepoint: no other tool can print a
     * stack.
     */
    @Requirement("G-05")
    @ParameterizedTest
    @MethodSource("jdks")
    void stacksOfAHungJvmArePrinted(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Hung")
                .on(jdk)
                .in(targetFolder)
                .with("-Xbatch", "-XX:-UseCountedLoopSafepoints", "-XX:LoopStripMiningIter=0")
                .start()) {
            jvm.send("hang");
            awaitHung(jvm);
            for (String how : List.of("--holes", "--together")) {
                String dump = printed(jvm, how);
                assertThat(String.join("\n", thread(dump, "loop"))).contains("at mayfly.targets.Hung.divide(");
                assertThat(dump).contains("at java.lang.Runtime.gc(Native Method)", "at mayfly.targets.Hung.main(");
                assertNoThreadIsHeld(jvm);
            }
            assertThat(isAnswered(jvm)).as("the JVM responds again").isFalse();
        }
    }

    /** On a busy machine, a JVM that does not answer may still be starting. */
    private void awaitHung(Jvm jvm) throws IOException {
        Deadline deadline = Deadline.in(LIMIT);
        while (isAnswered(jvm) || !printed(jvm).contains("at java.lang.Runtime.gc(Native Method)")) {
            deadline.check("the JVM does not hang");
        }
    }

    /** Returns whether the JVM still answers its own tool within two seconds. */
    private static boolean isAnswered(Jvm jvm) {
        return Command.run(
                                LIMIT,
                                "timeout",
                                "2",
                                Jdk.current().tool("jcmd").toString(),
                                Long.toString(jvm.pid()),
                                "Thread.print")
                        .exitCode()
                == 0;
    }

    @Requirement("G-05")
    @ParameterizedTest
    @MethodSource("jdks")
    void aStoppedJvmStaysStopped(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start()) {
            Signals.send(jvm.pid(), "STOP");
            awaitState(jvm, 'T');
            for (String how : List.of("--holes", "--together")) {
                String dump = printed(jvm, how);
                while (dump.contains("it did not stop in time")) {
                    awaitState(jvm, 'T'); // a thread that Mayfly has released returns to this state
                    dump = printed(jvm, how);
                }
                assertThat(thread(dump, "kind-park"))
                        .contains("\tat jdk.internal.misc.Unsafe.park(Native Method)")
                        .first()
                        .asString()
                        .endsWith("stopped");
                awaitState(jvm, 'T');
            }
            Signals.send(jvm.pid(), "CONT");
            assertThat(jvm.ask("well?")).isNotEmpty();
        }
    }

    @Requirement("G-05")
    @ParameterizedTest
    @MethodSource("jdks")
    void stoppedJvmIsRecordedAndStaysStopped(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start()) {
            Signals.send(jvm.pid(), "STOP");
            awaitState(jvm, 'T');
            Path file = targetFolder.resolve("stopped.collapsed");
            Command record = CommandLine.run(
                    "record", "-e", "wall", "-d", "500ms", "-o", file.toString(), Long.toString(jvm.pid()));
            Counts counts = Counts.parse(Checks.recorded(record, file));
            assertThat(counts.with("jdk.internal.misc.Unsafe.park"))
                    .as(counts.top(5))
                    .isPositive();
            awaitState(jvm, 'T');
            Signals.send(jvm.pid(), "CONT");
            assertThat(jvm.ask("well?")).isNotEmpty();
        }
    }

    /** Waits until every thread is in that state, and stays in it. */
    private static void awaitState(Jvm jvm, char state) throws IOException {
        Deadline deadline = Deadline.in(LIMIT);
        for (int tid : tids(jvm)) {
            Path stat = Path.of("/proc/" + jvm.pid() + "/task/" + tid + "/stat");
            while (!Files.readString(stat).contains(") " + state + " ")) {
                deadline.check("thread " + tid + " never was in state " + state);
            }
        }
    }

    @Requirement({"G-01", "G-05"})
    @ParameterizedTest
    @MethodSource("jdks")
    void stacksOfADebuggerSuspendedJvmArePrinted(Jdk jdk) throws Exception {
        try (Jvm jvm = suspendedByItsDebugger(jdk)) {
            assertThat(printed(jvm)).contains("libjdwp.so!", "(VM)");
            assertThat(jvm.isAlive()).isTrue();
        }
    }

    @Requirement("G-05")
    @ParameterizedTest
    @MethodSource("mayfly.e2e.AttachTest#jdks")
    void profilerIsAttachedToAJvmSuspendedByItsDebuggerAtTheStart(Jdk jdk) throws Exception {
        try (Jvm jvm = suspendedByItsDebugger(jdk)) {
            Attached.withoutJvmti(jvm, targetFolder).detach();
            assertThat(jvm.isAlive()).isTrue();
        }
    }

    private static Jvm suspendedByItsDebugger(Jdk jdk) throws IOException {
        Jvm jvm = Jvm.run("Idle")
                .on(jdk)
                .with("-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0")
                .startUnready();
        Deadline deadline = Deadline.in(LIMIT);
        while (!jvm.stdout().contains("Listening for transport")) {
            deadline.check(jvm.evidence());
        }
        return jvm;
    }

    static List<Jdk> withVirtualThreads() {
        return Scale.jdks().stream().filter(jdk -> jdk.feature() >= 21).toList();
    }

    /** While the name of any thread cannot be read, virtual threads may exist. */
    private void awaitWithoutVirtualThreads(Jvm jvm) throws Exception {
        Deadline deadline = Deadline.in(LIMIT);
        while (printed(jvm).contains(UNMOUNTED)) {
            deadline.check("each dump reports that virtual threads may exist");
        }
    }

    @ParameterizedTest
    @MethodSource("withVirtualThreads")
    void carrierThreadNamesItsVirtualThread(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("NamedThreads").on(jdk).start()) {
            awaitWithoutVirtualThreads(jvm);
            String number = jvm.ask("virtual");
            assertThat(printed(jvm))
                    .contains(UNMOUNTED)
                    .containsPattern("(?m)^\"ForkJoinPool-.*\n   Carrying virtual thread #" + number
                            + " \"r\u00efder\"\n(\tat .*\n)*\tat mayfly\\.targets\\.NamedThreads\\.spin\\(");
            assertThat(printed(jvm, "--json", "-t", "ForkJoinPool-"))
                    .contains("\"mounted\":{\"name\":\"r\\u00efder\",\"id\":" + number + "}");
            assertThat(ThreadPrint.text(jvm)).contains("   Carrying virtual thread #" + number);
        }
    }

    @Test
    void stacksArePrintedWithDisableAttachMechanism() throws Exception {
        try (Jvm jvm = Jvm.run("Blocked")
                .in(targetFolder)
                .with("-XX:+DisableAttachMechanism")
                .start()) {
            assertThat(isAnswered(jvm)).isFalse();
            assertThat(thread(printed(jvm), "kind-park")).contains("\tat jdk.internal.misc.Unsafe.park(Native Method)");
        }
    }

    @Test
    void jsonIsOneLineWithTheSameThreads() throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").start()) {
            String json = printed(jvm, "--json");
            assertThat(json)
                    .startsWith("{\"schema\":\"mayfly-stack/1\",\"pid\":" + jvm.pid())
                    .endsWith("}")
                    .hasLineCount(1)
                    .contains("\"method\":\"park\"", "\"kind\":\"vm\"", "\"outcome\":\"complete\"");
            assertThat(Pattern.compile("\"kernelName\"").matcher(json).results())
                    .hasSameSizeAs(HEAD.matcher(printed(jvm)).results().toList());
        }
    }

    @Requirement("S-20")
    @ParameterizedTest
    @MethodSource("jdks")
    void togetherShowsAllThreadsAtOneMoment(Jdk jdk) throws Exception {
        // Interpreted, because the leaf frame of a compiled method may be off by some instructions.
        try (Jvm jvm = Jvm.run("Handover").on(jdk).with("-Xint").start()) {
            for (int i = 0; i < Scale.count(5, 200); i++) {
                String dump = printed(jvm, "--together", "--holes", "-t", "hand-");
                long inside = Pattern.compile("at mayfly\\.targets\\.Handover\\.inside\\(")
                        .matcher(dump)
                        .results()
                        .count();
                assertThat(inside)
                        .as("threads in the critical section, in one dump\n" + dump)
                        .isLessThanOrEqualTo(1);
                assertThat(HEAD.matcher(dump).results()).hasSize(4);
            }
            assertNoThreadIsHeld(jvm);
        }
    }

    @Requirement("T-03")
    @ParameterizedTest
    @MethodSource("jdks")
    void gdbAsTracerIsNamed(Jdk jdk) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/gdb")), "no gdb");
        tracedBy(jdk, "gdb", "gdb", "-q", "-nx", "-p", "PID");
    }

    @Requirement("T-03")
    @ParameterizedTest
    @MethodSource("jdks")
    void straceAsTracerIsNamed(Jdk jdk) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/strace")), "no strace");
        tracedBy(jdk, "strace", "strace", "-f", "-e", "trace=none", "-p", "PID");
    }

    /** Each dump stops threads, and waits for no other command. */
    @Requirement("T-03")
    @ParameterizedTest
    @MethodSource("jdks")
    void twoDumpsDuringTwoRecordingsOfAJvmSucceedOrNameTheOtherTracer(Jdk jdk) throws Exception {
        // A test run in the background of a shell ignores the signal, and its child processes do, too.
        List<String> heeding = List.of("env", "--default-signal=INT,TERM");
        try (Jvm jvm = Jvm.run("Busy").on(jdk).start()) {
            String pid = Long.toString(jvm.pid());
            List<LaunchedMayfly> recordings = new ArrayList<>();
            List<LaunchedMayfly> dumps = new ArrayList<>();
            try {
                for (String name : List.of("one.collapsed", "two.collapsed")) {
                    String file = targetFolder.resolve(name).toString();
                    recordings.add(LaunchedMayfly.startUnder(
                            heeding, "record", "-d", "10m", "--collector", "per-thread", "-o", file, pid));
                }
                for (LaunchedMayfly recording : recordings) {
                    recording.awaitStderr("sampling process", LIMIT);
                }
                dumps.add(LaunchedMayfly.start("stack", "--together", pid));
                dumps.add(LaunchedMayfly.start("stack", "--holes", pid));
                for (LaunchedMayfly dump : dumps) {
                    assertThat(dump.process().waitFor(LIMIT)).isTrue();
                    if (dump.process().exitValue() == 0) {
                        assertThat(dump.stdout()).contains("mayfly.targets.Busy.");
                    } else {
                        assertThat(dump.stderr()).contains("[traced]");
                    }
                }
                assertThat(printed(jvm)).contains("mayfly.targets.Busy.");
                for (LaunchedMayfly recording : recordings) {
                    assertThat(recording.process().isAlive())
                            .as(recording.stderr())
                            .isTrue();
                    assertThat(recording.terminate()).as(recording.stderr()).isZero();
                    Counts counts = Counts.parse(
                            Files.readString(Path.of(recording.stdout().strip())));
                    assertThat(counts.with("mayfly.targets.Busy.loop"))
                            .as(counts.top(5))
                            .isPositive();
                }
                assertNoThreadIsHeld(jvm);
            } finally {
                recordings.forEach(LaunchedMayfly::close);
                dumps.forEach(LaunchedMayfly::close);
            }
        }
    }

    private void tracedBy(Jdk jdk, String name, String... command) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            String pid = Long.toString(jvm.pid());
            Process tracer = new ProcessBuilder(Stream.of(command)
                            .map(word -> word.equals("PID") ? pid : word)
                            .toList())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                awaitTraced(jvm);
                for (String how : List.of("--holes", "--together")) {
                    Command done = stack(how, pid);
                    Checks.refused(done, 4, "traced", folder);
                    assertThat(done.stderr()).contains("process " + tracer.pid() + " (" + name + ")");
                }
            } finally {
                tracer.destroyForcibly().waitFor();
            }
            assertThat(printed(jvm, "--holes")).contains("mayfly.targets.Idle.main");
        }
    }

    private static void awaitTraced(Jvm jvm) throws IOException {
        Deadline deadline = Deadline.in(LIMIT);
        for (int tid : tids(jvm)) {
            Path status = Path.of("/proc/" + jvm.pid() + "/task/" + tid + "/status");
            while (Files.readString(status).contains("TracerPid:\t0\n")) {
                deadline.check("thread " + tid + " is not traced");
            }
        }
    }

    @Test
    void stackOfAnInvalidTargetIsRefused() throws Exception {
        Checks.refused(stack("999999999"), 3, "no-such-process", folder);
        Checks.refused(stack("no.such.program.Anywhere"), 3, "no-such-process", folder);
        Checks.refused(stack(""), 2, "usage", folder);
        Checks.refused(stack(), 2, "usage", folder);
        Process sleep = new ProcessBuilder("sleep", "60").start();
        try {
            Checks.refused(stack(Long.toString(sleep.pid())), 3, "not-a-jvm", folder);
        } finally {
            sleep.destroyForcibly().waitFor();
        }
        try (Jvm one = Jvm.run("Ladder").start();
                Jvm two = Jvm.run("Ladder").start()) {
            Command done = stack("mayfly.targets.Ladder");
            Checks.refused(done, 3, "ambiguous", folder);
            assertThat(done.stderr()).contains(Long.toString(one.pid()), Long.toString(two.pid()));
        }
    }
}
