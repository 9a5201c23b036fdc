package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

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
                List.of(
                        "H2Load 2",
                        "EcjLoad " + Project.sourceTree(),
                        "Stress reflection 2",
                        "Stress exceptions 2",
                        "SharedResources zip"));
    }

    static List<Arguments> contending(TestInfo test) {
        return each(
                test,
                List.of(
                        "SharedResources properties",
                        "SharedResources map",
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
            assertThat(profiler.ask("reset")).isEqualTo("OK");
            long before = Long.parseLong(jvm.ask("allocated"));
            Deadline deadline = Deadline.in(EventLog.PATIENCE);
            long[] total = total(profiler);
            while (total[0] < SAMPLES) {
                deadline.check("only %d samples", total[0]);
                total = total(profiler);
            }
            long allocated = Long.parseLong(jvm.ask("allocated")) - before;
            assertThat(total[1]).as("%d samples", total[0]).isCloseTo(allocated, withinPercentage(5));
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    /** Returns the number of samples, and the estimate of all bytes. */
    private static long[] total(Attached profiler) throws Exception {
        long[] total = new long[2];
        for (String line : profiler.ask("sites").lines().toList()) {
            String[] words = line.split(" ");
            total[0] += Long.parseLong(words[1]);
            total[1] += Long.parseLong(words[3]);
        }
        return total;
    }

    @ParameterizedTest
    @MethodSource("contending")
    @Requirement("R-01")
    void contentionOfAProgramIsWithinFivePercentOfItsOwnCount(Jdk jdk, String program) throws Exception {
        try (Jvm jvm = start(jdk, program)) {
            Attached profiler = attach(jvm, MonitorsProfiler.class, "MONITORS, STACK_SNAPSHOTS", "sum");
            long before = Long.parseLong(jvm.ask("blocked"));
            long reported = nanos(profiler);
            Deadline deadline = Deadline.in(EventLog.PATIENCE);
            long blocked = 0;
            while (blocked < BLOCKED_MILLIS) {
                deadline.check("blocked for only %d ms", blocked);
                blocked = Long.parseLong(jvm.ask("blocked")) - before;
            }
            reported = nanos(profiler) - reported;
            assertThat(reported / 1_000_000.0).as(profiler.ask("sum")).isCloseTo((double) blocked, withinPercentage(5));
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    private static long nanos(Attached profiler) throws Exception {
        return Long.parseLong(profiler.ask("sum").split(" ")[1]);
    }
}
