package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import mayfly.api.Event;
import mayfly.api.ProfilerInfo;
import mayfly.api.Status;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.ProfilerClient;
import mayfly.attach.launch.LaunchFiles;
import mayfly.attach.launch.LaunchRequest;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Partly;
import mayfly.kit.Project;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.ExceptionsProfiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Exceptions, which the JVM offers only to a profiler that it starts with. */
class ExceptionsTest {
    private static final String THROWN = "mayfly.targets.Throws$Thrown";
    private static final int COUNT = Scale.count(10_000, 100_000);

    /** The way to throw, the exception, and the method that throws it. */
    private static final String[][] WAYS = {
        {"new", "java.lang.IllegalStateException", "mayfly.targets.Throws.throwTraced:"},
        {"null", "java.lang.NullPointerException", "mayfly.targets.Throws.throwTraced:"},
        {"zero", "java.lang.ArithmeticException", "mayfly.targets.Throws.throwTraced:"},
        {"word", "java.lang.NumberFormatException", "java.lang.Integer.parseInt:"},
    };

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private LaunchFiles launch() throws Exception {
        return LaunchFiles.temporary(new LaunchRequest(
                ProfilerJars.jar(
                        folder.resolve("exceptions.jar"),
                        ProfilerJars.manifest(ExceptionsProfiler.class.getName(), "1", "EXCEPTIONS, STACK_SNAPSHOTS")),
                Optional.empty(),
                Attached.LIMIT,
                Set.of(Acceptance.LASTING_COST)));
    }

    private static String ask(Jvm jvm, String command) throws Exception {
        return new String(ProfilerClient.send(Math.toIntExact(jvm.pid()), command.getBytes(), Attached.LIMIT));
    }

    /** Throws exceptions ten times, and returns their sum and the earlier one. The profiler has counted as many. */
    private static long throwAndCount(Jvm jvm, long earlier) throws Exception {
        long expected = earlier;
        for (int i = 0; i < 10; i++) {
            expected += Long.parseLong(jvm.ask("throw " + COUNT));
            assertThat(ask(jvm, "count " + THROWN)).isEqualTo(expected + " " + expected);
        }
        return expected;
    }

    /** The part of a test during which the program runs. */
    @FunctionalInterface
    private interface Use {
        void of(Jvm jvm) throws Exception;
    }

    /** Runs a program with a profiler that counts exceptions. */
    private void withProfiler(Jvm.Plan program, Use use) throws Exception {
        LaunchFiles files = launch();
        try (Jvm jvm = program.environment("JAVA_TOOL_OPTIONS", files.option()).start()) {
            use.of(jvm);
            assertThat(jvm.exit()).as(jvm.evidence()).isZero();
        } finally {
            files.remove();
        }
    }

    /** Five ways to throw; the throws of two of them count twice. The callbacks throw exceptions themselves. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-03", "R-12"})
    @Partly("R-12: of the events that JVMTI offers only at launch, exceptions alone are available")
    void eachExceptionIsReportedOnce(Jdk jdk) throws Exception {
        withProfiler(Jvm.run("Throws").on(jdk), jvm -> {
            assertThat(throwAndCount(jvm, 0)).isEqualTo(COUNT * 14L);
            assertThat(Long.parseLong(ask(jvm, "own"))).isPositive();
            assertThat(ask(jvm, "count java.lang.UnsupportedOperationException"))
                    .as("exceptions of the callback")
                    .isEqualTo("0 0");
        });
    }

    /** The three tests after this one are what the row states; {@link NeighbourEventsTest} has the other rows. */
    @Test
    void tableOfEventsBesideToolsStatesThatExceptionsAreDeliveredBesideEach() throws Exception {
        assertThat(NeighbourEventsTest.rows())
                .filteredOn(row -> row.event() == Event.EXCEPTIONS)
                .singleElement()
                .satisfies(row -> assertThat(row.delivered().values()).containsOnly(true));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void eachExceptionIsReportedOnceBesideAsyncProfiler(Jdk jdk) throws Exception {
        withProfiler(Jvm.run("Throws").on(jdk), jvm -> {
            Path library = Neighbours.asyncProfiler(folder);
            long expected = 0;
            for (String event : List.of("wall", "alloc")) {
                Neighbours.load(jvm, library, "start,event=" + event + ",quiet");
                expected = throwAndCount(jvm, expected);
                Path stacks = folder.resolve(event + ".collapsed");
                Neighbours.load(jvm, library, "stop,quiet,collapsed,file=" + stacks);
                assertThat(stacks).content().contains("mayfly/targets/Throws");
                expected = throwAndCount(jvm, expected);
            }
        });
    }

    /** The recording has exceptions, too: JFR changes the constructor of {@link Throwable} for them. */
    @ParameterizedTest
    @MethodSource("jdks")
    void eachExceptionIsReportedOnceBesideJfr(Jdk jdk) throws Exception {
        withProfiler(Jvm.run("Throws").on(jdk), jvm -> {
            Neighbours.jcmd(
                    jvm, "JFR.start", "name=neighbour", "settings=profile", "jdk.JavaExceptionThrow#enabled=true");
            long expected = throwAndCount(jvm, 0);
            Path recording = folder.resolve("neighbour.jfr");
            Neighbours.jcmd(jvm, "JFR.stop", "name=neighbour", "filename=" + recording);
            assertThat(Neighbours.summary(recording)).containsPattern("jdk\\.JavaExceptionThrow +[1-9]");
            throwAndCount(jvm, expected);
        });
    }

    /** The debugger requests the same events of JVMTI, and stops the program at an exception of another class. */
    @ParameterizedTest
    @MethodSource("jdks")
    void eachExceptionIsReportedOnceBesideADebugger(Jdk jdk) throws Exception {
        int port = Debugger.freePort();
        withProfiler(Jvm.run("Throws").on(jdk).with(Debugger.option(port)), jvm -> {
            jvm.ask("trace new");
            try (Debugger debugger = Debugger.attach(port)) {
                debugger.stopIfUncaught(THROWN);
                long expected = throwAndCount(jvm, 0);
                debugger.stopIfCaught("java.lang.IllegalStateException");
                jvm.send("trace new");
                debugger.passStop("java.lang.IllegalStateException");
                assertThat(jvm.answer("trace new")).contains("mayfly.targets.Throws.throwTraced:");
                expected = throwAndCount(jvm, expected);
                debugger.quit();
                throwAndCount(jvm, expected);
            }
        });
    }

    /**
     * The oracle is the stack trace of the exception. A method that creates an exception and does not throw it is in
     * the trace only.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-24")
    void stackWalkedAtAThrowIsTheStackTraceFromTheThrower(Jdk jdk) throws Exception {
        Jvm.Plan program = Jvm.run("Throws")
                .on(jdk)
                // Otherwise compiled code throws exceptions of the JVM without a trace.
                .with("-Dmayfly.testing.walk=true", "-XX:-OmitStackTraceInFastThrow");
        withProfiler(program, jvm -> {
            for (String[] way : WAYS) {
                String trace = jvm.ask("trace " + way[0]);
                int from = trace.indexOf(way[2]);
                assertThat(from).as(trace).isNotNegative();
                assertThat(trace.substring(from))
                        .contains("mayfly.targets.Throws.trace:", "mayfly.targets.Throws.main:");
                assertThat(ask(jvm, "stack " + way[1])).as(way[0]).isEqualTo(trace.substring(from));
            }
            // An exception without a stack trace, which another method has created.
            jvm.ask("throw 3");
            assertThat(ask(jvm, "stack " + THROWN))
                    .startsWith("mayfly.targets.Throws.throwPrepared:")
                    .contains(" mayfly.targets.Throws.throwAll:", " mayfly.targets.Throws.main:");
        });
    }

    /** Returns the calls of the table in {@link ProfilerInfo}, each with the event that follows it. */
    private static List<String> callsOnlyAtLaunch() throws IOException {
        String source = Files.readString(Project.root().resolve("api/src/main/java/mayfly/api/ProfilerInfo.java"));
        int from = source.indexOf("Calls that only a profiler loaded at launch may make");
        String table = source.substring(from, source.indexOf("</table>", from));
        return Pattern.compile("<tr><td>\\{@link #(\\w+)}(?: with \\{@link Event#(\\w+)})?</td>")
                .matcher(table)
                .results()
                .map(row -> row.group(1) + (row.group(2) == null ? "" : " " + row.group(2)))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("R-13")
    void callsOfThePublishedListSucceedInAProfilerLoadedAtLaunch(Jdk jdk) throws Exception {
        assertThat(callsOnlyAtLaunch()).containsExactly("setEventMask EXCEPTIONS", "setExceptionsReported");
        withProfiler(Jvm.run("Throws").on(jdk), jvm -> {
            assertThat(ask(jvm, "has-mask")).isEqualTo("[EXCEPTIONS]");
            assertThat(ask(jvm, "same-mask")).isEqualTo("OK");
            assertThat(ask(jvm, "report false")).isEqualTo("OK");
            assertThat(ask(jvm, "report true")).isEqualTo("OK");
            String expected = jvm.ask("throw 10");
            assertThat(ask(jvm, "count " + THROWN)).isEqualTo(expected + " " + expected);
        });
    }

    /** The reports are off at first. Afterwards the subscription is the same as before, and prevents a detach. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("I-07")
    void reportsOfExceptionsAreStartedAndStoppedByACommand(Jdk jdk) throws Exception {
        Jvm.Plan program = Jvm.run("Throws").on(jdk).with("-Dmayfly.testing.silent=true");
        withProfiler(program, jvm -> {
            long expected = 0;
            for (int round = 0; round < 5; round++) {
                jvm.ask("throw 1000");
                assertThat(ask(jvm, "count " + THROWN)).as("off").isEqualTo(expected + " " + expected);
                assertThat(ask(jvm, "report true")).isEqualTo("OK");
                expected += Long.parseLong(jvm.ask("throw 1000"));
                assertThat(ask(jvm, "count " + THROWN)).as("on").isEqualTo(expected + " " + expected);
                assertThat(ask(jvm, "same-mask")).isEqualTo("OK");
                jvm.ask("throw 5");
                expected += 7;
                assertThat(ask(jvm, "count " + THROWN)).as("still on").isEqualTo(expected + " " + expected);
                assertThat(ask(jvm, "report false")).isEqualTo("OK");
                assertThat(ask(jvm, "same-mask")).isEqualTo("OK");
            }
            jvm.ask("throw 1000");
            assertThat(ask(jvm, "count " + THROWN)).as("off").isEqualTo(expected + " " + expected);
            assertThat(ask(jvm, "mask")).isEqualTo(Status.IMMUTABLE_FLAGS.name());
            assertThat(ask(jvm, "detach")).isEqualTo(Status.IMMUTABLE_FLAGS.name());
            Command forced = CommandLine.run("detach", "--force", Long.toString(jvm.pid()));
            assertThat(forced.exitCode()).as(forced.evidence()).isEqualTo(10 + Status.IMMUTABLE_FLAGS.number());
        });
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-04", "D-19", "D-22"})
    void profilerWithAnImmutableEventStaysAttached(Jdk jdk) throws Exception {
        withProfiler(Jvm.run("Throws").on(jdk), jvm -> {
            assertThat(ask(jvm, "mask")).isEqualTo(Status.IMMUTABLE_FLAGS.name());
            assertThat(ask(jvm, "same-mask")).isEqualTo("OK");
            assertThat(ask(jvm, "detach")).isEqualTo(Status.IMMUTABLE_FLAGS.name());
            String pid = Long.toString(jvm.pid());
            for (String[] command :
                    new String[][] {{"detach", pid}, {"detach", "--force", pid}, {"detach", "--no-wait", pid}}) {
                Command detach = CommandLine.run(command);
                assertThat(detach.exitCode()).as(detach.evidence()).isEqualTo(10 + Status.IMMUTABLE_FLAGS.number());
                assertThat(detach.stderr()).contains("it stays until the JVM ends");
            }
            assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid())))
                    .hasValueSatisfying(status -> assertThat(status.state()).isEqualTo("active"));
            String expected = jvm.ask("throw 100");
            assertThat(ask(jvm, "count " + THROWN)).isEqualTo(expected + " " + expected);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"initialize", "complete"})
    @Requirement("R-04")
    void profilerThatFailsAfterItsSubscriptionIsUnloaded(String where) throws Exception {
        LaunchFiles files = launch();
        try (Jvm jvm = Jvm.run("Throws")
                .with("-Dmayfly.testing.fail=" + where)
                .environment("JAVA_TOOL_OPTIONS", files.option())
                .start()) {
            assertThat(jvm.evidence()).contains(where + " failed as requested");
            assertThat(jvm.ask("throw 1000")).isEqualTo("1400");
            HostTrace.awaitOnlyLaunch(jvm);
            assertThat(jvm.exit()).as(jvm.evidence()).isZero();
        } finally {
            files.remove();
        }
    }
}
