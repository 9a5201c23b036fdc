package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.MonitorsProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Monitors of a program that measures how long its threads wait. */
class MonitorsTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = Scale.count(25, 200);
    private static final int MILLIS = 20;
    private static final int PERCENT = 5;
    private static final int ATTEMPTS = 5;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    /** Each JDK with each kind of thread that it has. */
    static List<Arguments> threads(TestInfo test) {
        return AttachTest.jdks(test).stream()
                .flatMap(jdk -> (jdk.feature() >= 21 ? Stream.of("platform", "virtual") : Stream.of("platform"))
                        .map(kind -> Arguments.of(jdk, kind)))
                .toList();
    }

    private Attached attach(Jvm jvm, String data) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("monitors.jar"),
                ProfilerJars.manifest(MonitorsProfiler.class.getName(), "1", "MONITORS, STACK_SNAPSHOTS"));
        return Attached.by(Attached.request(jvm, jar, data));
    }

    /** The reports for a monitor, from one kind of wait in one method. */
    private record Total(String kind, String type, int identity, String method, int count, int timedOut, long nanos) {
        static Total parse(String line) {
            String[] words = line.split(" ");
            return new Total(
                    words[0],
                    words[1],
                    Integer.parseInt(words[2]),
                    words[3],
                    Integer.parseInt(words[4]),
                    Integer.parseInt(words[5]),
                    Long.parseLong(words[6]));
        }
    }

    /** A monitor of the target, and the time that its threads waited for it by their own measurement. */
    private record Measured(String type, int identity, long nanos) {
        static List<Measured> parse(String answer) {
            List<Measured> all = new ArrayList<>();
            for (String entry : answer.split(";")) {
                String[] words = entry.split(" ");
                all.add(new Measured(words[0], Integer.parseInt(words[1]), Long.parseLong(words[2])));
            }
            return all;
        }

        /** Returns the reports of one kind for this monitor. */
        List<Total> reported(List<Total> totals, String kind) {
            return totals.stream()
                    .filter(total -> total.kind.equals(kind) && total.type.equals(type) && total.identity == identity)
                    .toList();
        }

        /** The reported time is a part of the time that the target measured, and almost all of it. */
        void assertIsReportedBy(Total total) {
            assertThat(total.nanos).isLessThanOrEqualTo(nanos).isCloseTo(nanos, withinPercentage(PERCENT));
        }
    }

    private static List<Total> totals(Attached profiler) throws Exception {
        return profiler.ask("totals").lines().map(Total::parse).toList();
    }

    /**
     * Returns what the target measured, after a command. The command is repeated until the target has waited for the
     * least time and the reports are close to that: on a busy machine a thread may start after the other has ended, and
     * it may be stopped between the two measurements of the same wait.
     */
    private static List<Measured> measure(Jvm jvm, Attached profiler, String kind, String command, Duration least)
            throws Exception {
        List<Measured> measured = List.of();
        boolean areClose = false;
        for (int i = 0; i < ATTEMPTS && !areClose; i++) {
            measured = Measured.parse(jvm.ask(command));
            List<Total> totals = totals(profiler);
            areClose = measured.stream()
                    .allMatch(each -> each.nanos > least.toNanos()
                            && each.reported(totals, kind).stream()
                                            .mapToLong(Total::nanos)
                                            .sum()
                                    >= each.nanos / 100 * (100 - PERCENT));
        }
        return measured;
    }

    private static void detachWithoutErrors(Jvm jvm, Attached profiler) throws Exception {
        assertThat(profiler.ask("errors")).isEqualTo("[]");
        profiler.detach();
        assertThat(HostTrace.of(jvm)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("threads")
    @Requirement("R-01")
    void contentionIsReportedForTheTimeThatTheProgramMeasures(Jdk jdk, String kind) throws Exception {
        // Before JDK 24, a virtual thread that waits for a monitor keeps its carrier.
        String carriers = "-Djdk.virtualThreadScheduler.parallelism=" + THREADS;
        try (Jvm jvm = Jvm.run("Monitors").on(jdk).with(carriers).start()) {
            Attached profiler = attach(jvm, "");
            Duration least = Duration.ofMillis(ROUNDS * MILLIS / 4);
            jvm.ask("contend " + kind + " 2 5"); // the first callbacks are slow
            List<Measured> measured =
                    measure(jvm, profiler, "contention", "contend " + kind + " " + ROUNDS + " " + MILLIS, least);
            List<Total> totals = totals(profiler);
            assertThat(measured).extracting(Measured::type).containsExactly("mayfly.targets.Monitors$Account", "[I");
            for (Measured each : measured) {
                assertThat(Duration.ofNanos(each.nanos)).isGreaterThan(least);
                assertThat(each.reported(totals, "contention"))
                        .as("%s of %s", each, totals)
                        .singleElement()
                        .satisfies(total -> {
                            assertThat(total.method).isEqualTo("enter");
                            assertThat(total.count).isBetween(1, THREADS * ROUNDS / 2);
                            each.assertIsReportedBy(total);
                        });
            }
            detachWithoutErrors(jvm, profiler);
        }
    }

    @ParameterizedTest
    @MethodSource("threads")
    @Requirement("R-01")
    void waitsAreReportedForTheTimeThatTheProgramMeasures(Jdk jdk, String kind) throws Exception {
        try (Jvm jvm = Jvm.run("Monitors").on(jdk).start()) {
            Attached profiler = attach(jvm, "");
            jvm.ask("wait " + kind + " 2 5");
            List<Measured> measured =
                    measure(jvm, profiler, "wait", "wait " + kind + " " + ROUNDS + " " + MILLIS, Duration.ZERO);
            List<Total> totals = totals(profiler);
            for (int i = 0; i < THREADS; i++) {
                boolean timesOut = i < 2;
                Measured each = measured.get(i);
                assertThat(each.reported(totals, "wait"))
                        .as("%s of %s", each, totals)
                        .singleElement()
                        .satisfies(total -> {
                            assertThat(total.method).isEqualTo(timesOut ? "timeOut" : "receive");
                            assertThat(total.count).isEqualTo(ROUNDS);
                            assertThat(total.timedOut).isEqualTo(timesOut ? ROUNDS : 0);
                            each.assertIsReportedBy(total);
                        });
            }
            detachWithoutErrors(jvm, profiler);
        }
    }

    /** JVMTI names a virtual owner before JDK 23, and none later. The thread that waits is a platform thread. */
    @ParameterizedTest
    @MethodSource("threads")
    @Requirement("R-01")
    void ownerOfAContendedMonitorIsTheThreadThatOwnsIt(Jdk jdk, String kind) throws Exception {
        try (Jvm jvm = Jvm.run("Monitors").on(jdk).start()) {
            Attached profiler = attach(jvm, "owners");
            String id = jvm.ask("own " + kind);
            boolean isNamed = kind.equals("platform") || jdk.feature() < 23;
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (profiler.ask("owners").equals("[]")) {
                deadline.check("no contention is reported");
            }
            assertThat(profiler.ask("owners")).isEqualTo("[" + (isNamed ? id : "0") + "]");
            assertThat(jvm.ask("leave")).isEqualTo("left");
            jvm.ask("wait platform 2 5");
            assertThat(profiler.ask("owner")).isEqualTo("FAILED");
            assertThat(profiler.ask("off")).isEqualTo("OK");
            assertThat(profiler.ask("owner")).isEqualTo("UNSUPPORTED_FOR_ATTACHING_PROFILER");
            detachWithoutErrors(jvm, profiler);
        }
    }

    /** The JVM reports the start of a wait without the monitor, but not its end: the host reports neither. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("R-01")
    void waitHasAnEndIfItIsInterruptedAndNoStartWithoutTheMonitor(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Monitors").on(jdk).start()) {
            Attached profiler = attach(jvm, "");
            Measured interrupted = Measured.parse(jvm.ask("interrupt")).getFirst();
            Measured unowned = Measured.parse(jvm.ask("unowned")).getFirst();
            assertThat(interrupted.reported(totals(profiler), "wait"))
                    .singleElement()
                    .satisfies(total -> assertThat(total.timedOut).isZero());
            assertThat(unowned.reported(totals(profiler), "wait")).isEmpty();
            jvm.ask("unowned");
            assertThat(profiler.ask("errors"))
                    .as("a start without an end precedes another start")
                    .isEqualTo("[]");
            profiler.detach();
        }
    }

    /** Threads wait all the time, so some wait at the start and at the end of each subscription. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-08", "R-10", "D-13"})
    void endOfAWaitThatBeganBeforeTheSubscriptionIsNotReported(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Monitors").on(jdk).start()) {
            for (int i = 0; i < Scale.count(3, 50); i++) {
                Attached profiler = attach(jvm, "later");
                AtomicReference<Throwable> failure = new AtomicReference<>();
                AtomicBoolean enough = new AtomicBoolean();
                Thread asking = Thread.ofPlatform().start(() -> {
                    try {
                        do {
                            jvm.ask("contend platform 40 5");
                            jvm.ask("wait platform 20 5");
                        } while (!enough.get());
                    } catch (Throwable e) {
                        failure.set(e);
                    }
                });
                Deadline deadline = Deadline.in(Attached.LIMIT);
                int changes = 0;
                for (int last = 0; asking.isAlive(); changes++) {
                    enough.set(changes > 3);
                    deadline.check("only %d changes", changes);
                    assertThat(profiler.ask("on")).isEqualTo("OK");
                    int now;
                    do {
                        now = totals(profiler).stream().mapToInt(Total::count).sum();
                        deadline.check("nothing is reported");
                    } while (now == last && asking.isAlive());
                    assertThat(profiler.ask("off")).isEqualTo("OK");
                    profiler.awaitNoCallback(); // a start that is reported late would have no end
                    last = totals(profiler).stream().mapToInt(Total::count).sum();
                }
                assertThat(failure.get()).isNull();
                assertThat(changes).isGreaterThan(3);
                assertThat(profiler.ask("errors")).isEqualTo("[]");
                List<Total> before = totals(profiler);
                jvm.ask("contend platform 4 5");
                assertThat(totals(profiler)).containsExactlyInAnyOrderElementsOf(before);
                assertThat(profiler.ask("on")).isEqualTo("OK");
                profiler.detach();
                assertThat(HostTrace.of(jvm)).isEmpty();
            }
        }
    }
}
