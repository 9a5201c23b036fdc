package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Project;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.AllocationsProfiler;
import mayfly.profilers.testing.MonitorsProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Totals of allocation and of contention in different programs, compared with their own counts. */
class ProgramTotalsTest {
    private static final int INTERVAL = 32 << 10;
    private static final int SAMPLES = Scale.count(10_000, 50_000);
    /** Four threads wait, for some milliseconds each, when a measurement begins and when it ends. */
    private static final long BLOCKED_MILLIS = Scale.count(8_000, 40_000);

    private static final int COMPARISONS = 3;

    @TempDir
    private Path folder;

    /** Each JDK with each of the programs. */
    private static List<Arguments> each(TestInfo test, List<String> programs) {
        return AttachTest.jdks(test).stream()
                .flatMap(jdk -> programs.stream().map(program -> Arguments.of(jdk, program)))
                .toList();
    }

    static List<Arguments> allocating(TestInfo test) {
        return each(
                test,
                Scale.some(
                        "H2Load 2",
                        "EcjLoad " + Project.sourceTree(),
                        "Stress reflection 2",
                        "Stress exceptions 2",
                        "SharedResources zip"));
    }

    static List<Arguments> contending(TestInfo test) {
        return each(
                test,
                Scale.some(
                        "SharedResources map",
                        "SharedResources properties",
                        "SharedResources zip",
                        "SharedResources buffer",
                        "SharedResources vector"));
    }

    private static Jvm start(Jdk jdk, String program) {
        return Jvm.run("MeasuredProgram")
                .on(jdk)
                .with("-Xmx256m")
                .args(program.split(" "))
                .start();
    }

    private Attached attach(Jvm jvm, Class<?> profiler, String events, String data) throws Exception {
        Path jar =
                ProfilerJars.jar(folder.resolve("totals.jar"), ProfilerJars.manifest(profiler.getName(), "1", events));
        return Attached.by(Attached.request(jvm, jar, data));
    }

    @ParameterizedTest
    @MethodSource("allocating")
    @Requirement("R-06")
    void estimatesOfAProgramsAllocationsAreWithinFivePercentOfItsOwnCount(Jdk jdk, String program) throws Exception {
        try (Jvm jvm = start(jdk, program)) {
            Attached profiler =
                    attach(jvm, AllocationsProfiler.class, "ALLOCATIONS, STACK_SNAPSHOTS", INTERVAL + " totals");
            assertAreEqual(jvm, "allocated", () -> total(profiler, 3), () -> {
                Deadline deadline = Deadline.in(EventLog.PATIENCE);
                long samples = samples(profiler) + SAMPLES;
                while (samples(profiler) < samples) {
                    deadline.check("only %d of %d samples", samples(profiler), samples);
                }
            });
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    /** Returns the sum of a column of the sites. */
    private static long total(Attached profiler, int column) throws Exception {
        long total = 0;
        for (String line : profiler.ask("sites").lines().toList()) {
            total += Long.parseLong(line.split(" ")[column]);
        }
        return total;
    }

    private static long samples(Attached profiler) throws Exception {
        return total(profiler, 1);
    }

    /** Reads a total that increases. */
    private interface Total {
        long read() throws Exception;
    }

    /** Lets the totals increase. */
    private interface Wait {
        void run() throws Exception;
    }

    /**
     * Compares two increases. A thread that waits for a CPU between the time at which the JVM begins to count and the
     * time of the profiler's event is counted by the JVM only, which is more than 5 % on a machine without a free CPU.
     * The comparison is therefore repeated: an error of the counts would be in each.
     */
    private static void assertAreEqual(Jvm jvm, String count, Total profilers, Wait wait) throws Exception {
        for (int i = 1; i < COMPARISONS; i++) {
            try {
                assertIncreasesAreEqual(jvm, count, profilers, wait);
                return;
            } catch (AssertionError e) {
                System.err.println("compared again: " + e.getMessage());
            }
        }
        assertIncreasesAreEqual(jvm, count, profilers, wait);
    }

    /**
     * Compares once. The profiler's total is read before and after each of the program's: what increases between the
     * reads of both may count or not.
     */
    private static void assertIncreasesAreEqual(Jvm jvm, String count, Total profilers, Wait wait) throws Exception {
        long first = profilers.read();
        long before = Long.parseLong(jvm.ask(count));
        long afterFirst = profilers.read();
        wait.run();
        long last = profilers.read();
        long own = Long.parseLong(jvm.ask(count)) - before;
        long afterLast = profilers.read();
        assertThat((double) own)
                .as("the profiler's total has increased by %d to %d", last - afterFirst, afterLast - first)
                .isBetween((last - afterFirst) * 0.95, (afterLast - first) * 1.05);
    }

    @ParameterizedTest
    @MethodSource("contending")
    @Requirement("R-01")
    void contentionOfAProgramIsWithinFivePercentOfItsOwnCount(Jdk jdk, String program) throws Exception {
        try (Jvm jvm = start(jdk, program)) {
            Attached profiler = attach(jvm, MonitorsProfiler.class, "MONITORS, STACK_SNAPSHOTS", "sum");
            assertAreEqual(jvm, "blocked", () -> millis(profiler), () -> {
                Deadline deadline = Deadline.in(EventLog.PATIENCE);
                long enough = millis(profiler) + BLOCKED_MILLIS;
                while (millis(profiler) < enough) {
                    deadline.check("blocked for only %d of %d ms", millis(profiler), enough);
                }
            });
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    private static long millis(Attached profiler) throws Exception {
        return Long.parseLong(profiler.ask("sum").split(" ")[1]) / 1_000_000;
    }
}
